package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lexagent/statute"
)

// Similarity tells how near texts are in meaning.
type Similarity interface {
	// Similar returns for each a of as its cosine with each b of bs, [len(as)][len(bs)].
	Similar(ctx context.Context, as, bs []string) ([][]float64, error)
}

// Meaning matches each sentence of a draft with the line of its evidence that bears
// it out best: by its words, and where those do not tell, by an encoder. It finds
// sentences that nothing bears out, and those that turn a duty, a permission or a
// prohibition of the line they repeat into another.
type Meaning struct {
	Similarity Similarity // nil: by words only
}

// Bounds of the work, and what counts as borne out. Calibrated on the reference
// answers of Legal-DC's train questions against their own evidence, and against other
// passages of the same document (docs/results.md).
const (
	minStatement = 8   // characters: shorter ones say nothing of their own
	wordsTell    = .70 // share of a sentence's character pairs that the evidence has
	elsewhere    = .35 // share by which another article must have more of them than the one that is cited
	nearEnough   = .80 // cosine with a line
	unlikeWords  = .25 // below which no cosine is believed
	maxSentences = 24  // of a draft, encoded
	maxLines     = 4   // of the evidence, by sentence encoded
)

// ErrNotCompared is returned where the encoder could not be had: sentences that words do
// not bear out were not checked. The findings that come with it stand.
var ErrNotCompared = errors.New("sentences could not be compared with the evidence")

// Check returns a finding for each sentence that did not pass; places are in
// characters of the text. The question's own words count as evidence of facts.
// References are the findings about what the text cites. The error may be ErrNotCompared.
func (m Meaning) Check(ctx context.Context, text, question string, evidence []Evidence, references []Finding) ([]Finding, error) {
	lines := evidenceLines(evidence)
	asked := Bigrams(question)
	var open []*statement
	var out []Finding
	all, runes := statements(text), []rune(text)
	out = append(out, itemsLeftOut(text, evidence)...)
	for _, c := range all {
		c.match(lines, asked, len(evidence))
		if f, ok := c.reversed(lines); ok {
			out = append(out, f)
			continue
		}
		if f, ok := c.misplaced(evidence, references); ok {
			out = append(out, f)
			continue
		}
		if f, ok := c.otherParty(lines); ok {
			out = append(out, f)
			continue
		}
		if f, ok := c.exceptionLeftOut(lines, runes); ok {
			out = append(out, f)
		}
		if c.covered < wordsTell || c.echoes() {
			open = append(open, c)
		}
	}
	unborne, err := m.unborne(ctx, open, lines) // none where that failed
	for _, c := range unborne {
		f := Finding{Kind: Sentence, Text: c.text, Start: c.start, End: c.end, Verdict: NoSupport, Severity: Unsupported, Note: "所给条文没有这样的内容"}
		if len(c.best) > 0 {
			f.Suggestion = lines[c.best[0]].id
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Finding) int { return a.Start - b.Start })
	return out, err
}

// echoes reports a sentence that says what one may or must do in words of the question
// rather than of an article: to ask so is no ground.
func (c *statement) echoes() bool {
	return len(c.by) > 0 && slices.Max(c.by) < wordsTell && len(acts(c.plain)) > 0
}

// misplaced reports a sentence that cites articles of the evidence of which none says
// what another one says: the right content under a wrong number.
func (c *statement) misplaced(evidence []Evidence, references []Finding) (Finding, bool) {
	cited := map[string]bool{}
	for i := range references {
		if r := &references[i]; r.Kind == Reference && r.Verdict == Exists && r.Start >= c.start && r.End <= c.end {
			cited[r.ID] = true
		}
	}
	here, there, at, known := 0.0, 0.0, -1, false
	for i := range evidence {
		switch {
		case cited[evidence[i].ID]:
			here, known = max(here, c.by[i]), true
		case c.by[i] > there:
			there, at = c.by[i], i
		}
	}
	if !known || at < 0 {
		return Finding{}, false
	}
	if own := c.verbatim(evidence); own >= 0 && !slices.ContainsFunc(evidence, func(e Evidence) bool { return cited[e.ID] && c.stands(e) }) {
		at = own
	} else if there < wordsTell || there-here < elsewhere {
		return Finding{}, false
	}
	e := &evidence[at]
	return Finding{
		Kind: Sentence, Text: c.text, Start: c.start, End: c.end, Verdict: Misplaced, Severity: Unsupported, ID: e.ID, Law: e.Law, Label: labelOf(e.ID),
		Note: "所写条号的条文没有这样的内容，《" + e.Law + "》" + labelOf(e.ID) + "有",
	}, true
}

// leadIn is what a sentence begins with before it says what an article says.
var leadIn = regexp.MustCompile(`^[\s，：“”]*((根据|依据|按照|依照|的?规定)[\s，：“”]*)*`)

// verbatim is the place of the one article in which the whole sentence stands, word for
// word; -1: in none, or in several.
func (c *statement) verbatim(evidence []Evidence) int {
	at := -1
	for i := range evidence {
		if labelOf(evidence[i].ID) != "" && c.stands(evidence[i]) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// stands reports whether the sentence stands in an article word for word.
func (c *statement) stands(e Evidence) bool {
	words := leadIn.ReplaceAllString(c.plain, "")
	return letters(words) >= leastOwn && strings.Contains(fold(e.Text).key, fold(words).key)
}

// labelOf is the label of an article by its id, 第一千零七十七条; "" for other units.
func labelOf(id string) string {
	if parsed, err := statute.ParseID(id); err == nil {
		if n, sub, ok := parsed.Number(); ok {
			return statute.Label(n, sub)
		}
	}
	return ""
}

// unborne returns the statements that an encoder does not find borne out either.
func (m Meaning) unborne(ctx context.Context, open []*statement, lines []evidenceLine) ([]*statement, error) {
	if m.Similarity == nil || len(open) == 0 || len(lines) == 0 {
		return open, nil
	}
	near := open[:min(len(open), maxSentences)]
	place := map[int]int{} // of a line, in texts
	var texts, sentences []string
	for _, c := range near {
		sentences = append(sentences, c.plain)
		for _, i := range c.best {
			if _, ok := place[i]; !ok {
				place[i] = len(texts)
				texts = append(texts, lines[i].text)
			}
		}
	}
	if len(texts) == 0 {
		return open, nil
	}
	cos, err := m.Similarity.Similar(ctx, sentences, texts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotCompared, err)
	}
	var out []*statement
	for i, c := range near {
		best := -1.0
		for _, j := range c.best {
			best = max(best, cos[i][place[j]])
		}
		if best < nearEnough || c.covered < unlikeWords {
			out = append(out, c)
		}
	}
	return append(out, open[len(near):]...), nil
}

// statement is a sentence of a draft that says something.
type statement struct {
	text, plain string // as written; without references and marks
	start, end  int
	pairs       map[string]bool
	covered     float64   // share of its pairs that one article and the question have
	by          []float64 // by article: the share that it has, without the question
	best        []int     // the lines that share most with it, best first
}

type evidenceLine struct {
	id, text string
	rest     string // what follows it in the same sentence, behind a semicolon
	pairs    map[string]bool
	acts     []act
	article  int
	limits   []string // sentences elsewhere in the article that say where its paragraph does not apply
}

func evidenceLines(evidence []Evidence) []evidenceLine {
	var out []evidenceLine
	for i, e := range evidence {
		limiting, paragraph := limits(e.Text), -1
		for l := range strings.SplitSeq(e.Text, "\n") {
			rest := l
			if strings.TrimSpace(l) != "" && !itemOf.MatchString(l) {
				paragraph++
			}
			for _, s := range sentences(l) {
				rest = rest[len(s):]
				if s = strings.TrimSpace(s); s != "" {
					whole, _, _ := strings.Cut(rest, "。")
					line := evidenceLine{id: e.ID, text: s, rest: whole, pairs: Bigrams(s), acts: acts(s), article: i}
					if paragraph >= 0 && paragraph < len(limiting) {
						line.limits = limiting[paragraph]
					}
					out = append(out, line)
				}
			}
		}
	}
	return out
}

// statements returns the sentences of a text that say something: not its headings, nor
// references that stand alone.
func statements(text string) []*statement {
	var out []*statement
	at := 0
	for _, s := range sentences(text) {
		n := utf8.RuneCountInString(s)
		trimmed := strings.TrimSpace(s)
		plain := withoutReferences(trimmed)
		if letters(plain) >= minStatement && !strings.HasSuffix(plain, "：") {
			lead := utf8.RuneCountInString(s[:strings.Index(s, trimmed)])
			out = append(out, &statement{text: trimmed, plain: plain, start: at + lead, end: at + lead + utf8.RuneCountInString(trimmed), pairs: Bigrams(plain)})
		}
		at += n
	}
	return out
}

// match finds what the statement shares with the evidence.
func (c *statement) match(lines []evidenceLine, asked map[string]bool, articlesGiven int) {
	c.by = make([]float64, articlesGiven)
	if len(c.pairs) == 0 {
		return
	}
	type scored struct {
		line  int
		share float64
	}
	var all []scored
	articles := map[int]map[string]bool{}
	for i, l := range lines {
		n := 0
		for p := range c.pairs {
			if l.pairs[p] {
				n++
				if articles[l.article] == nil {
					articles[l.article] = map[string]bool{}
				}
				articles[l.article][p] = true
			}
		}
		if n > 0 {
			all = append(all, scored{i, c.nearness(l)})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.share, a.share) })
	for _, s := range all[:min(len(all), maxLines)] {
		c.best = append(c.best, s.line)
	}
	for at, have := range articles {
		n := 0
		for p := range c.pairs {
			if have[p] || asked[p] {
				n++
			}
		}
		c.by[at] = float64(len(have)) / float64(len(c.pairs))
		c.covered = max(c.covered, float64(n)/float64(len(c.pairs)))
	}
}

// shared counts the pairs that a line has too.
func (c *statement) shared(l evidenceLine) int {
	n := 0
	for p := range c.pairs {
		if l.pairs[p] {
			n++
		}
	}
	return n
}

// nearness is how much of the statement a line says, long lines counting less.
func (c *statement) nearness(l evidenceLine) float64 {
	return float64(c.shared(l)) / math.Sqrt(float64(len(l.pairs)+8))
}

// Bigrams are the pairs of letters and digits that stand together in a text.
func Bigrams(s string) map[string]bool {
	out := map[string]bool{}
	var last rune
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			last = 0
			continue
		}
		if last != 0 {
			out[string([]rune{last, r})] = true
		}
		last = r
	}
	return out
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
