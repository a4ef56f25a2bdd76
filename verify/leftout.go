package verify

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"

	"lexagent/statute"
)

// Shares of the pairs that two texts have in common.
const (
	repeated = .75 // a statement says the main clause of a line
	present  = .6  // the text has an exception, or what is peculiar to an item
)

// proviso finds where an exception (但书) begins in a line.
var proviso = regexp.MustCompile(`[，；。]但是?[，]?|[，；]除非|[，；]法律另有规定的除外`)

// minException is the length of an exception that says something, in characters.
const minException = 8

// exceptionLeftOut finds a statement of a rule whose exception the text leaves out: what
// stands behind 但 in its line, or a later paragraph (款) that says where the rule does
// not apply. It need not bear on the question; the reader is told that there is one. It
// is looked for from the statement on: before it, the same words belong to another rule.
func (c *statement) exceptionLeftOut(lines []evidenceLine, text []rune) (Finding, bool) {
	for _, i := range c.best {
		main, exceptions := lines[i].ruleAndExceptions()
		if len(exceptions) == 0 || share(main, c.pairs) < repeated {
			continue
		}
		onward := Bigrams(string(text[c.start:]))
		for _, x := range exceptions {
			if letters(x) < minException || share(own(Bigrams(x), main), onward) >= present {
				continue
			}
			return Finding{
				Kind: Sentence, Text: c.text, Start: c.start, End: c.end, Verdict: LeftOut, Severity: Unsupported, ID: lines[i].id,
				Note: "条文还有例外：“" + x + "”",
			}, true
		}
	}
	return Finding{}, false
}

// ruleAndExceptions parts a line into the pairs of its rule and the exceptions to it.
func (l *evidenceLine) ruleAndExceptions() (rule map[string]bool, exceptions []string) {
	text := l.text
	if strings.HasSuffix(text, "；") {
		text += l.rest
	}
	rule = l.pairs
	if at := proviso.FindStringIndex(text); at != nil {
		rule = Bigrams(text[:at[0]])
		exceptions = append(exceptions, strings.Trim(text[at[0]:], "，；。"))
	}
	return rule, append(exceptions, l.limits...)
}

// How a paragraph limits those that it names: 不适用前款规定, 不受本条第一款规定的限制;
// 前款规定不适用于…, 前款规定的期限不受….
var (
	limitBefore = regexp.MustCompile(`不(?:适用于?|受)$`)
	limitBehind = regexp.MustCompile(`^(?:的?规定)?(?:的[^，。；]{1,8})?不(?:适用|受[^理])`)
)

// limits returns for each paragraph (款) of an article those of its sentences elsewhere in
// the article that say where it does not apply. The items of a list belong to the
// paragraph before them.
func limits(text string) [][]string {
	if !strings.Contains(text, "不适用") && !strings.Contains(text, "不受") {
		return nil
	}
	var paragraphs []string
	for l := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(l) != "" && !itemOf.MatchString(l) {
			paragraphs = append(paragraphs, l)
		}
	}
	out := make([][]string, len(paragraphs))
	for at, p := range paragraphs {
		for _, s := range sentences(p) {
			for _, of := range limited(s, at, len(paragraphs)) {
				if of >= 0 && of != at {
					out[of] = append(out[of], strings.TrimSpace(strings.TrimRight(s, "。；")))
				}
			}
		}
	}
	return out
}

// limited lists the paragraphs of all, counted from 0, that a sentence of paragraph at
// limits; some may lie before the first.
func limited(sentence string, at, all int) []int {
	var out []int
	refs := statute.FindReferences(sentence, nil)
	for i := range refs {
		r := &refs[i]
		if !limitBefore.MatchString(sentence[:r.Start]) && !limitBehind.MatchString(sentence[r.End:]) {
			continue
		}
		switch {
		case r.Form == statute.FormPrevious && r.Unit == "款":
			for back := 1; back <= r.Back; back++ {
				out = append(out, at-back)
			}
		case r.Form == statute.FormInternal:
			for _, p := range r.Points {
				for _, place := range p.Places {
					last := min(max(place.Paragraph, place.ToParagraph), all)
					for n := place.Paragraph; p.Number == 0 && n <= last; n++ {
						out = append(out, n-1)
					}
				}
			}
		}
	}
	return out
}

// itemOf finds the items (项) of an article.
var itemOf = regexp.MustCompile(`^\s*[（(][一二三四五六七八九十]+[）)]`)

// itemsLeftOut finds lists of which a text gives most of the items and not all.
func itemsLeftOut(text string, evidence []Evidence) []Finding {
	var out []Finding
	whole := Bigrams(text)
	for _, e := range evidence {
		items := itemsOf(e.Text)
		var absent []string
		given := map[string]bool{} // pairs of the items that the text has
		for i := range items {
			if share(items[i].own, whole) < present {
				absent = append(absent, items[i].text)
			} else {
				maps.Copy(given, items[i].pairs)
			}
		}
		if len(items) < 3 || len(absent) == 0 || 2*len(absent) >= len(items) {
			continue
		}
		f := Finding{Kind: Sentence, Verdict: LeftOut, Severity: Unsupported, ID: e.ID, Note: fmt.Sprintf("条文共列 %d 项，这里没有提到%s", len(items), short(strings.TrimRight(strings.Join(absent, ""), "；。")))}
		at := 0
		for _, s := range sentences(text) { // the last one that is of an item
			end := at + utf8.RuneCountInString(s)
			if words := strings.TrimSpace(s); share(Bigrams(withoutReferences(words)), given) >= present {
				from := at + utf8.RuneCountInString(s[:strings.Index(s, words)])
				f.Text, f.Start, f.End = words, from, from+utf8.RuneCountInString(words)
			}
			at = end
		}
		if f.Text != "" {
			out = append(out, f)
		}
	}
	return out
}

// item is one of a list.
type item struct {
	text  string
	pairs map[string]bool
	own   map[string]bool // those that no other line of the article has
}

// catchAll finds items that name nothing: 其他情形, 法律、行政法规规定的其他情形.
var catchAll = regexp.MustCompile(`^(?:[^，；]{1,30}的|有|存在)?其[他它][^，；]{1,24}$`)

// itemsOf returns the items (项) of an article but a catch-all, which may be left out.
func itemsOf(text string) []item {
	var out []item
	seen := map[string]int{} // in how many lines
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSpace(l)
		words := itemOf.ReplaceAllString(l, "")
		pairs := Bigrams(words)
		for p := range pairs {
			seen[p]++
		}
		if itemOf.MatchString(l) && !catchAll.MatchString(strings.TrimRight(words, "。；")) {
			out = append(out, item{text: l, pairs: pairs})
		}
	}
	shared := map[string]bool{}
	for p, n := range seen {
		shared[p] = n > 1
	}
	for i := range out {
		out[i].own = own(out[i].pairs, shared)
	}
	return out
}

// own are the pairs that are not among others; all of them where none would be left.
func own(pairs, others map[string]bool) map[string]bool {
	out := map[string]bool{}
	for p := range pairs {
		if !others[p] {
			out[p] = true
		}
	}
	if len(out) == 0 {
		return pairs
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
