package corpus

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longText is the size, in characters, from which a text without articles and
// items is looked through for numbered headings.
const longText = 1500

// maxNumberedRunes bounds a line that is taken for a numbered heading.
const maxNumberedRunes = 40

var numberedHead = regexp.MustCompile(`^(\d{1,2}(?:[.．]\s?\d{1,2}){0,3})[.．、]?[\s　]*[^\d\s　.．、%％～~—–\-－/]`)

// markNumbered marks the headings 1, 1.1, 1.1.1 of standards, guides and the like,
// which often bear no mark of their own. A line counts when it is short, isn't a
// sentence, and its number comes next after that of the heading before it.
func markNumbered(body []block) []block {
	size := 0
	for _, b := range body {
		size += chars(b.text)
		if _, _, ok := attachmentOf(b); ok {
			break
		}
		_, article := articleOf(b)
		_, _, _, item := itemOf(b)
		if article || item {
			return body
		}
	}
	if size < longText {
		return body
	}
	out := slices.Clone(body)
	var at []int // the number of the last heading
	found := 0
	for i, b := range out {
		if number := headingNumber(b); number != nil && (comesNext(at, number) || b.depth > 0) {
			at = number
			out[i].depth = len(number) + 1
			found++
		}
	}
	const enough = 3 // fewer may be the lines of a list
	if found < enough {
		return body
	}
	return out
}

// headingNumber returns the number of a numbered heading, outermost first.
func headingNumber(b block) []int {
	if b.rest != "" || b.table > 0 || utf8.RuneCountInString(b.text) > maxNumberedRunes || strings.ContainsAny(b.text, "。；，！|") {
		return nil
	}
	if r, _ := utf8.DecodeLastRuneInString(b.text); strings.ContainsRune("：:、", r) && b.depth == 0 {
		return nil
	}
	m := numberedHead.FindStringSubmatch(b.text)
	if m == nil {
		return nil
	}
	var out []int
	for _, part := range strings.Split(strings.ReplaceAll(squeeze(m[1]), "．", "."), ".") {
		n, _ := strconv.Atoi(part) // one or two digits always convert
		out = append(out, n)
	}
	return out
}

// comesNext reports whether a heading's number follows at: 2.3 is followed by
// 2.3.1, 2.4 and 3.
func comesNext(at, number []int) bool {
	last := len(number) - 1
	switch {
	case len(number) > len(at)+1 || !slices.Equal(number[:last], at[:last]):
		return false
	case len(number) == len(at)+1:
		return number[last] == 1
	}
	return number[last] == at[last]+1
}
