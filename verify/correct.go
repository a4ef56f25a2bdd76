package verify

import (
	"slices"
	"strings"
)

// Correct puts the right article in the place of a wrong one where a sentence quotes an
// article word for word, or says what an article of the evidence says, and names
// another: the words are the book's, only the number is not. It changes a reference
// only where exactly one stands in the sentence, and tells of each change in one
// sentence. Findings are those of the text, with places in characters.
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
		var refs, right []Finding
		for _, f := range findings {
			if f.Start < at || f.End > end || f.End == 0 {
				continue
			}
			switch {
			case f.Kind == Reference:
				refs = append(refs, f)
			case (f.Kind == Quote && f.Verdict == Elsewhere || f.Verdict == Misplaced) && f.Law != "" && f.Label != "":
				right = append(right, f)
			}
		}
		at = end
		if len(refs) != 1 || len(right) == 0 || slices.ContainsFunc(right, func(f Finding) bool { return f.ID != right[0].ID }) {
			continue
		}
		name := "《" + right[0].Law + "》" + right[0].Label
		from, to := refs[0].Start, refs[0].End
		if from > 0 && to < len(runes) && runes[from-1] == '[' && runes[to] == ']' { // an id, which people don't read
			from, to = from-1, to+1
			changes = append(changes, change{from, to, "（" + name + "）"})
		} else {
			changes = append(changes, change{from, to, name})
		}
		notes = append(notes, "草稿把“"+short(right[0].Text)+"”写成"+refs[0].name()+"的内容，已改为"+name+"。")
	}
	for _, c := range slices.Backward(changes) {
		runes = slices.Concat(runes[:c.from], []rune(c.name), runes[c.to:])
	}
	return string(runes), notes
}

// name is a reference as people read it.
func (f *Finding) name() string {
	if strings.Contains(f.Text, ":") && f.Law != "" && f.Label != "" {
		return "《" + f.Law + "》" + f.Label
	}
	return f.Text
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
