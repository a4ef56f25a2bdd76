package statute

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxNameRunes bounds the law part of an id. The longest title in real corpora
// has some 120 characters; beyond the bound the rest is replaced by its hash.
const maxNameRunes = 120

// LawID returns the id of a version of a law: 民法典@2020-05-28.
func LawID(short, version string) string { return idName(short) + "@" + version }

// ContentVersion is the version of a law whose dates nobody knows: "x" and
// eight hex digits of the hash of its text.
func ContentVersion(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "x" + hex.EncodeToString(sum[:4])
}

// UnitID returns the id of a unit of the law lawID: 刑法@2020-12-26:175.1 for an
// article, 宪法@2018-03-11:序言 for a unit that has only a name. Parts of a key
// that would not survive URLs, shells or white-space separated columns are
// changed as in LawID.
func UnitID(lawID string, kind Kind, label string, number, sub int) string {
	return lawID + ":" + unitKey(kind, label, number, sub)
}

func unitKey(kind Kind, label string, number, sub int) string {
	n := strconv.Itoa(number)
	if sub > 0 {
		n += "." + strconv.Itoa(sub)
	}
	switch {
	case kind == Article && number > 0:
		return n
	case kind == Item && number > 0:
		return "项" + n
	case kind == Section && number > 0:
		return "节" + n
	}
	return idName(label)
}

// Variant returns the id under which a further, different text with the same id
// is kept: 矿产资源法实施细则@1994-03-26:附件 → …:附件~2. n counts from 2.
func Variant(id string, n int) string { return id + "~" + strconv.Itoa(n) }

// idName makes s fit to be a part of an id: NFC, no white space or invisible
// characters, and of ASCII only letters, digits, '-', '.' and '_'. Other ASCII
// marks become their full-width forms, so that no two titles fall together.
func idName(s string) string {
	if isName(s) {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToValidUTF8(s, "")) {
		switch {
		case r < 0x80 && (isAlnum(r) || (r == '-' || r == '.') && b.Len() > 0 || r == '_'): // a leading - looks like an option
			b.WriteRune(r)
		case r > ' ' && r < 0x7f:
			b.WriteRune(r - '!' + '！')
		case unicode.IsSpace(r) || !unicode.IsPrint(r):
			// dropped: white space, controls, marks without width
		default:
			b.WriteRune(r)
		}
	}
	name := []rune(norm.NFC.String(b.String()))
	switch {
	case len(name) == 0:
		return "无题"
	case len(name) > maxNameRunes:
		rest := sha256.Sum256([]byte(string(name)))
		return string(name[:maxNameRunes-8]) + hex.EncodeToString(rest[:4])
	}
	return string(name)
}

// isName reports whether idName leaves s as it is, for names of ideographs, letters and
// digits, as nearly all are. Every look-up by an id asks.
func isName(s string) bool {
	n := 0
	for _, r := range s {
		if n++; !isAlnum(r) && (r < 0x4e00 || r > 0x9fff) {
			return false
		}
	}
	return n > 0 && n <= maxNameRunes
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// ID is a parsed id. Version is "" in the short form 民法典:1077, which means the
// version in force on the day asked about. Key is "" in the id of a law.
type ID struct {
	Law     string // 民法典
	Version string // 2020-05-28, x1a2b3c4d or ""
	Key     string // 1077, 175.1, 附件, 1077~2 or ""
}

// ParseID takes an id apart: 民法典@2020-05-28:1077, 民法典:1077,
// 民法典@2020-05-28 or 民法典.
func ParseID(s string) (ID, error) {
	law, key, hasKey := strings.Cut(s, ":")
	name, version, hasVersion := strings.Cut(law, "@")
	id := ID{Law: name, Version: version, Key: key}
	switch {
	case name == "" || hasKey && key == "" || hasVersion && version == "":
		return ID{}, fmt.Errorf("%q is not an id such as 民法典@2020-05-28:1077", s)
	case idName(name) != name || strings.ContainsAny(key, ":@") || !validVersion(version):
		return ID{}, fmt.Errorf("%q is not an id such as 民法典@2020-05-28:1077", s)
	}
	return id, nil
}

func validVersion(v string) bool {
	if v == "" {
		return true
	}
	if v[0] == 'x' {
		_, err := hex.DecodeString(v[1:])
		return len(v) == 9 && err == nil
	}
	_, err := ParseDate(v)
	return err == nil
}

// LawID returns the id of the law alone.
func (id ID) LawID() string {
	if id.Version == "" {
		return id.Law
	}
	return id.Law + "@" + id.Version
}

// String puts the id together again.
func (id ID) String() string {
	if id.Key == "" {
		return id.LawID()
	}
	return id.LawID() + ":" + id.Key
}

// Number returns the article number and sub-number that the key stands for, and
// false when the key is no article's.
func (id ID) Number() (number, sub int, ok bool) {
	key, _, _ := strings.Cut(id.Key, "~")
	n, s, hasSub := strings.Cut(key, ".")
	number, err := strconv.Atoi(n)
	if err != nil || number <= 0 {
		return 0, 0, false
	}
	if hasSub {
		if sub, err = strconv.Atoi(s); err != nil || sub <= 0 {
			return 0, 0, false
		}
	}
	return number, sub, true
}
