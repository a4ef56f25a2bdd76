package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lexagent/index"
	"lexagent/statute"
)

// FuzzDocuments holds that no content of a file makes reading it panic, not even
// one whose checksums are right.
func FuzzDocuments(f *testing.F) {
	a := newAttributes()
	for _, id := range []string{"刑法@2020-12-26:1", "刑法@2020-12-26:2"} {
		a.add(&index.Doc{ID: id, Law: "刑法@2020-12-26", Collection: "public", Kind: statute.Article, Level: 1, From: 20210301})
	}
	path := filepath.Join(f.TempDir(), docsFile)
	if err := a.write(path); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(headerSize), byte(1))
	f.Add(uint16(len(good)-200), byte(0xff))
	f.Fuzz(func(t *testing.T, at uint16, change byte) {
		b := bytes.Clone(good)
		place := int(at) % len(b)
		b[place] ^= change
		if _, err := readSections(b, docsKind, docsSections); err == nil && change != 0 && inSection(place, good) {
			t.Errorf("byte %d was changed and nobody saw it", place)
		}
		s, err := readSections(bytes.Clone(good), docsKind, docsSections)
		if err != nil {
			t.Fatal(err)
		}
		n := int(at) % len(s)
		if len(s[n]) > 0 {
			s[n][int(change)%len(s[n])] ^= change
		}
		d, err := readDocuments(s)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("the error is %v", err)
			}
			return
		}
		for i := range d.len() {
			d.ids.find(d.ids.at(i))
		}
		compile(d, index.Filter{Laws: []string{"刑法@2020-12-26"}, AsOf: 20240101})
	})
}

// inSection reports whether a place is in the header or in a section, not between.
func inSection(place int, file []byte) bool {
	if place < headerSize {
		return true
	}
	sections, err := readSections(file, docsKind, docsSections)
	if err != nil {
		return false
	}
	end := 0
	for _, s := range sections {
		start := int(align(int64(max(end, headerSize))))
		end = start + len(s)
		if place >= start && place < end {
			return true
		}
	}
	return false
}
