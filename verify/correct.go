package verify

import (
	"slices"
	"strings"
)

// Correct puts the right article in the place of a wrong one where the text quotes an
// article word for word and names another: the words are the book's, only the number
// is not. It changes a reference only where exactly one stands in the sentence before
// the quotation, and tells of each change in one sentence. Findings are those of the
// text, with places in characters.
func Correct(text string, findings []Finding) (corrected string, notes []string) {
	runes := []rune(text)
	type change struct {
		from, to int
		name     string
	}
	var changes []change
	at := 0
	for _, s := range sentences(text) {
		end := at + len([]rune(s))
		var refs, quotes []Finding
		for _, f := range findings {
			if f.Start < at || f.End > end || f.End == 0 {
				continue
			}
			switch {
			case f.Kind == Reference:
				refs = append(refs, f)
			case f.Kind == Quote && f.Verdict == Elsewhere && f.Law != "" && f.Label != "":
				quotes = append(quotes, f)
			}
		}
		at = end
		if len(refs) != 1 || len(quotes) != 1 {
			continue
		}
		name := "《" + quotes[0].Law + "》" + quotes[0].Label
		changes = append(changes, change{refs[0].Start, refs[0].End, name})
		notes = append(notes, "草稿把“"+short(quotes[0].Text)+"”写成"+refs[0].Text+"的内容，已改为"+name+"。")
	}
	for _, c := range slices.Backward(changes) {
		runes = slices.Concat(runes[:c.from], []rune(c.name), runes[c.to:])
	}
	return string(runes), notes
}

// short is the begin of a quotation.
func short(s string) string {
	const most = 16
	s = strings.Trim(s, "“”\"「」")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "……"
	}
	return s
}
