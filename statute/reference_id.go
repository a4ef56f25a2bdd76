package statute

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIDList bounds the runes between the brackets of a list of ids.
const maxIDList = 600

// ids reads [民法典:1077] or [民法典@2020-05-28:1077, 刑法:20] at i: one reference an
// id. Brackets that hold anything else are left for the other forms.
func (s *scanner) ids(i int) int {
	end := i
	for j := i + 1; j < len(s.runes) && j < i+maxIDList && end == i; j++ {
		switch s.runes[j] {
		case ']', '】':
			end = j
		case '\n', '[', '【':
			return i
		}
	}
	if end == i {
		return i
	}
	var found []Reference
	for start := i + 1; start < end; {
		stop := start
		for stop < end && !strings.ContainsRune(",，、;；", s.runes[stop]) {
			stop++
		}
		word := s.slice(start, stop)
		id, ok := s.lawID(strings.TrimSpace(word))
		if !ok {
			return i
		}
		from := s.at[start] + strings.Index(word, strings.TrimSpace(word))
		to := from + len(strings.TrimSpace(word))
		found = append(found, Reference{Start: from, End: to, Form: FormID, Law: id.Law, ID: id, Points: idPoints(id, from, to)})
		start = stop + 1
	}
	s.refs = append(s.refs, found...)
	s.done = end
	return end + 1
}

// lawID parses the id of a unit and rejects what only looks like one: [注:1].
func (s *scanner) lawID(word string) (ID, bool) {
	id, err := ParseID(word)
	if err != nil || id.Key == "" {
		return ID{}, false
	}
	if id.Version == "" && !endsLikeLaw(id.Law) && !s.known(id.Law) {
		return ID{}, false
	}
	return id, true
}

// idPoints gives the article an id names.
func idPoints(id ID, start, end int) []Point {
	if n, sub, ok := id.Number(); ok {
		return []Point{{Start: start, End: end, Number: n, Sub: sub}}
	}
	return nil
}

// unbracketedID reads 民法典:1077 and 民法典@2020-05-28:1077 in running text, where a
// known name stands from i to end.
func (s *scanner) unbracketedID(i, end int) (id ID, after int, ok bool) {
	if r := s.runeAt(end); r != ':' && r != '@' {
		return ID{}, i, false
	}
	after = end
	for after < len(s.runes) && after < end+60 && s.runes[after] < utf8.RuneSelf && !unicode.IsSpace(s.runes[after]) &&
		(isAlnum(s.runes[after]) || strings.ContainsRune(":@-.~", s.runes[after])) {
		after++
	}
	id, err := ParseID(strings.TrimRight(s.slice(i, after), ".-~"))
	if _, _, numbered := id.Number(); err != nil || !numbered {
		return ID{}, i, false
	}
	return id, i + utf8.RuneCountInString(id.String()), true
}
