package verify

import "strings"

// Attribution is due where an article has this share of a sentence's character pairs, and
// no other article of the evidence comes near.
const (
	leastOwn      = 12  // characters: what is shorter stands in many articles
	ownWords      = .70 // share of the sentence's pairs
	ownWordsAhead = .15 // by which the article leads
)

// Attribute gives the sentences of a text that cites nothing the citation of the article
// whose words they repeat. Small models answer from an article and forget to say which.
// A sentence that two articles may have, or none, stays as it is. given is the number of
// citations.
func Attribute(text string, evidence []Evidence) (attributed string, given int) {
	lines := evidenceLines(evidence)
	runes := []rune(text)
	var b strings.Builder
	at := 0
	for _, c := range statements(text) {
		b.WriteString(string(runes[at:c.end]))
		at = c.end
		if letters(c.plain) < leastOwn {
			continue
		}
		c.match(lines, nil, len(evidence))
		if i := c.owner(evidence); i >= 0 {
			b.WriteString("[" + evidence[i].ID + "]")
			given++
		}
	}
	b.WriteString(string(runes[at:]))
	return b.String(), given
}

// owner is the place of the one article that has the sentence's words; -1: none, or more
// than one.
func (c *statement) owner(evidence []Evidence) int {
	best := -1
	for i := range evidence {
		if labelOf(evidence[i].ID) != "" && (best < 0 || c.by[i] > c.by[best]) {
			best = i
		}
	}
	if best < 0 || c.by[best] < ownWords {
		return -1
	}
	for i := range evidence {
		if i != best && labelOf(evidence[i].ID) != "" && c.by[best]-c.by[i] < ownWordsAhead {
			return -1
		}
	}
	return best
}
