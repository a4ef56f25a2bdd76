package corpus

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"lexagent/statute"
)

// describe fills in what title and header tell of a law: short title, level,
// region. A level that the source declares is set by the caller afterwards.
func describe(law *statute.Law, header string) {
	law.Short = statute.ShortTitle(law.Title)
	law.Level = statute.LevelOf(law.Title, law.Issuer, header)
	law.Region = statute.Region(law.Title, header)
}

// finish makes a document whole once its law has a title and its units have
// labels and texts: effective day, version, ids, order, joined repetitions, notes.
func finish(doc *Document) {
	law := &doc.Law
	version, err := statute.ParseDate(law.Version)
	if err != nil {
		version = 0 // a content version, given before
	}
	if law.Effective.IsZero() {
		law.Effective = effectiveInText(doc.Units, version)
	}
	if law.Version == "" {
		law.Version = law.Effective.String()
	}
	if law.Version == "" {
		law.Version = statute.ContentVersion(allText(doc.Units))
	}
	// The effective day of the law's first version, printed with a later one.
	law.Effective = laterKnown(law.Effective, version)
	law.ID = statute.LawID(law.Short, law.Version)
	noteOrder(doc)
	giveIDs(doc)
}

// laterKnown returns the later day, and zero when effective isn't known.
func laterKnown(effective, version statute.Date) statute.Date {
	if effective.IsZero() {
		return 0
	}
	return max(effective, version)
}

// allText is what a content version is the hash of.
func allText(units []statute.Unit) string {
	var b strings.Builder
	for _, u := range units {
		b.WriteString(u.Label + "\n" + u.Text + "\n")
	}
	return b.String()
}

// giveIDs gives each unit its id. A repetition (same id, same text) is dropped, and
// its source id kept in Also; a different text under the same id becomes a variant.
func giveIDs(doc *Document) {
	type text struct{ base, text string }
	seen := map[text]int{}    // place in kept
	count := map[string]int{} // texts by the id without ~n
	kept := doc.Units[:0]
	for _, u := range doc.Units {
		base := statute.UnitID(doc.Law.ID, u.Kind, u.Label, u.Number, u.Sub)
		if i, again := seen[text{base, u.Text}]; again {
			if u.SourceID != "" && u.SourceID != kept[i].SourceID && !slices.Contains(kept[i].Also, u.SourceID) {
				kept[i].Also = append(kept[i].Also, u.SourceID)
			}
			doc.note("%s is there twice with the same text; kept once", u.Label)
			moveToRest(&doc.Coverage, u)
			continue
		}
		id := base
		if count[base]++; count[base] > 1 {
			id = statute.Variant(base, count[base])
			doc.note("%s is there again with another text; kept as %s", u.Label, id)
		}
		seen[text{base, u.Text}] = len(kept)
		u.ID, u.LawID, u.Order = id, doc.Law.ID, len(kept)
		kept = append(kept, u)
	}
	doc.Units = kept
}

// moveToRest books a dropped repetition.
func moveToRest(c *Coverage, u statute.Unit) {
	if c.Chars == 0 {
		return
	}
	n := unitChars(&u)
	c.InUnits -= n
	c.Rest = append(c.Rest, Span{Chars: n, Why: "repetition of " + u.Label})
}

// noteOrder notes articles out of order and numbers that are missing.
func noteOrder(doc *Document) {
	last, lastSub, lastLabel, highest := 0, 0, "", 0
	seen := map[int]bool{}
	first := 0
	for _, u := range doc.Units {
		if u.Kind != statute.Article || u.Number == 0 {
			continue
		}
		if last > 0 && (u.Number < last || u.Number == last && u.Sub < lastSub) {
			doc.note("the order of articles is broken: %s comes after %s", u.Label, lastLabel)
		}
		if first == 0 || u.Number < first {
			first = u.Number
		}
		seen[u.Number] = true
		highest = max(highest, u.Number)
		last, lastSub, lastLabel = u.Number, u.Sub, u.Label
	}
	var missing []string
	for n := first; first > 0 && n < highest && len(missing) < 20; n++ {
		if seen[n] {
			continue
		}
		gap := n
		for n+1 < highest && !seen[n+1] {
			n++
		}
		if name := statute.Label(gap, 0); gap == n {
			missing = append(missing, name)
		} else {
			missing = append(missing, name+"–"+statute.Label(n, 0))
		}
	}
	if len(missing) > 0 {
		doc.note("numbers are missing in the sequence of articles: %s", strings.Join(missing, "、"))
	}
}

// maxNotes bounds the notes of one document.
const maxNotes = 50

func (d *Document) note(format string, args ...any) {
	if len(d.Notes) < maxNotes {
		d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
	}
}

// date reads a day of the source. What can't be read is noted and not known.
func (d *Document) date(column, s string) statute.Date {
	day, err := parseDay(s)
	if err != nil {
		d.note("%s: %v", column, err)
	}
	return day
}

// parseDay reads 2006-01-02, in full-width digits too and with a time of day
// behind it, as some sources have them.
func parseDay(s string) (statute.Date, error) {
	s = width.Narrow.String(trim(s))
	if len(s) > len("2006-01-02") {
		s = s[:len("2006-01-02")]
	}
	return statute.ParseDate(s)
}
