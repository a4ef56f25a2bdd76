package verify

import (
	"fmt"
	"regexp"
	"strings"
)

// Shares of the pairs that two texts have in common.
const (
	repeated = .75 // a statement says the main clause of a line
	present  = .6  // the text has an exception, or an item
)

// proviso finds where an exception (但书) begins in a line.
var proviso = regexp.MustCompile(`[，；。]但是?[，]?|[，；]除非|[，；]法律另有规定的除外`)

// minException is the length of an exception that says something, in characters.
const minException = 8

// exceptionLeftOut finds a statement of a rule whose exception the text leaves out. It
// need not bear on the question; the reader is told that there is one.
func (c *statement) exceptionLeftOut(lines []evidenceLine, whole map[string]bool) (Finding, bool) {
	for _, i := range c.best {
		l := lines[i].text
		if strings.HasSuffix(l, "；") {
			l += lines[i].rest
		}
		at := proviso.FindStringIndex(l)
		if at == nil {
			continue
		}
		main, exception := Bigrams(l[:at[0]]), strings.TrimRight(l[at[0]:], "。；")
		if letters(exception) < minException || share(main, c.pairs) < repeated || share(Bigrams(exception), whole) >= present {
			continue
		}
		return Finding{
			Kind: Sentence, Text: c.text, Start: c.start, End: c.end, Verdict: LeftOut, Severity: Unsupported, ID: lines[i].id,
			Note: "条文还有例外：“" + strings.TrimLeft(exception, "，；。") + "”",
		}, true
	}
	return Finding{}, false
}

// itemOf finds the items (项) of an article.
var itemOf = regexp.MustCompile(`^\s*[（(][一二三四五六七八九十]+[）)]`)

// itemsLeftOut finds lists of which a text gives most of the items and not all.
func itemsLeftOut(all []*statement, evidence []Evidence, whole map[string]bool) []Finding {
	var out []Finding
	for _, e := range evidence {
		var items, absent []string
		var given map[string]bool // pairs of an item that the text has
		for l := range strings.SplitSeq(e.Text, "\n") {
			item := strings.TrimSpace(l)
			if !itemOf.MatchString(item) || strings.Contains(item, "其他") { // a catch-all may be left out
				continue
			}
			items = append(items, item)
			if p := Bigrams(itemOf.ReplaceAllString(item, "")); share(p, whole) < present {
				absent = append(absent, item)
			} else {
				given = p
			}
		}
		if len(items) < 3 || len(absent) == 0 || 2*len(absent) >= len(items) {
			continue
		}
		f := Finding{Kind: Sentence, Verdict: LeftOut, Severity: Unsupported, ID: e.ID, Note: fmt.Sprintf("条文共列 %d 项，这里没有提到%s", len(items), short(strings.TrimRight(strings.Join(absent, ""), "；。")))}
		for _, c := range all { // the sentence that gives an item
			if share(given, c.pairs) >= present {
				f.Text, f.Start, f.End = c.text, c.start, c.end
			}
		}
		if f.Text != "" {
			out = append(out, f)
		}
	}
	return out
}

// share is the share of a's pairs that b has, 0 where a has none.
func share(a, b map[string]bool) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for p := range a {
		if b[p] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}
