package statute

import (
	"strings"
	"unicode/utf8"
)

// edge is a step of a nameTrie.
type edge struct {
	node int32
	r    rune
}

// nameTrie finds the longest known name at a place in a text. One hash map holds
// all edges, which is small and fast enough: a text is looked up once a rune and
// nearly every look-up fails at the first step.
type nameTrie struct {
	next map[edge]int32
	ends map[int32]bool
}

// add puts a name in, unless it does not end as laws' titles do: the titles of
// court cases must not be found in running text.
func (t *nameTrie) add(title string) {
	name := strings.ReplaceAll(ShortTitle(title), country, "")
	if !endsLikeLaw(name) || utf8.RuneCountInString(name) < 2 {
		return
	}
	if t.next == nil {
		t.next, t.ends = map[edge]int32{}, map[int32]bool{}
	}
	node := int32(0)
	for _, r := range name {
		if isTitleBracket(r) {
			continue
		}
		e := edge{node, r}
		to, ok := t.next[e]
		if !ok {
			to = int32(len(t.next) + 1)
			t.next[e] = to
		}
		node = to
	}
	t.ends[node] = true
}

func isTitleBracket(r rune) bool { return r == '《' || r == '》' || r == '〈' || r == '〉' }

// match returns the length in bytes of the longest name at the start of text.
func (t *nameTrie) match(text string) int {
	longest, node := 0, int32(0)
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], country) { // no name holds it, see add
			i += len(country)
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if node != 0 && (isTitleBracket(r) || r == '<' || r == '>') {
			i += size
			continue
		}
		to, ok := t.next[edge{node, foldTitleRune(r)}]
		if !ok {
			return longest
		}
		node = to
		i += size
		if t.ends[node] {
			longest = i
		}
	}
	return longest
}
