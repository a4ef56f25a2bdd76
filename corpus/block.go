package corpus

import (
	"strings"
	"unicode"
)

// block is a line or a paragraph of a text source: all that a reader for a text
// format has to make.
type block struct {
	text  string // trimmed, without the format's own marks
	line  int    // where it stands in the source, from 1: line, paragraph or page
	depth int    // heading depth that the format marks, 1 = title; 0 = a paragraph
	rest  string // set when the reader knows that it isn't part of the law: why
	table int    // number of the table that the line is a row of, from 1; 0 = none
}

// source is what a reader for a text format makes of a file.
type source struct {
	path   string
	title  string   // where the format names it apart from the text; else ""
	part   string   // the 编 that the source holds; likewise
	header []string // dated lines; likewise
	blocks []block
	bodyAt int      // index of the first block of the body; -1 when the format doesn't tell
	markup int      // characters of marks that the reader took off
	notes  []string // what the reader couldn't read and a person should know
}

// blank reports white space and characters without width, which some sources
// scatter over their lines.
func blank(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x200b && r <= 0x200f || r == 0x2060 || r == 0xfeff
}

// trim takes blanks off both ends.
func trim(s string) string { return strings.TrimFunc(s, blank) }

// chars counts the characters of s other than blanks.
func chars(s string) int {
	n := 0
	for _, r := range s {
		if !blank(r) {
			n++
		}
	}
	return n
}

// squeeze returns s without any blank, to compare titles and headings.
func squeeze(s string) string { return strings.Join(strings.FieldsFunc(s, blank), "") }

// tidy returns s with each run of blanks as one space.
func tidy(s string) string { return strings.Join(strings.FieldsFunc(s, blank), " ") }
