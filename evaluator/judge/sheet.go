package judge

import (
	"embed"
	"encoding/csv"
	"html/template"
	"io"
	"math/rand/v2"
	"strings"

	"lexagent/evaluator/dataset"
)

// Blind puts the answers of any number of systems in an order drawn by the seed.
// Answers that say the same to one question are on the form once.
func Blind(items []Item, seed uint64) []Item {
	seen := map[string]bool{}
	var out []Item
	for i := range items {
		if code := items[i].Code(); !seen[code] {
			seen[code] = true
			out = append(out, items[i])
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0x7368656574))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// WriteCSV writes a form for people to rate answers on, for a spreadsheet: a row an
// answer, known by its code, with empty cells for the ratings. Ratings.Read reads
// it back.
func WriteCSV(w io.Writer, items []Item) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil { // or Excel reads no Chinese
		return err
	}
	c := csv.NewWriter(w)
	if err := c.Write(append(append([]string{"code", "question", "reference", "answer"}, names[:]...), "remark")); err != nil {
		return err
	}
	for i := range items {
		it := &items[i]
		row := []string{it.Code(), cell(asked(it)), cell(it.Reference), cell(it.Answer), "", "", "", "", ""}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// cell keeps a spreadsheet from taking a text for a formula.
func cell(s string) string {
	if strings.HasPrefix(s, "=") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "@") {
		return " " + s
	}
	return s
}

// asked is the question with the conversation before it.
func asked(it *Item) string {
	q := dataset.Question{Question: it.Question, History: it.History}
	text, err := q.Text(dataset.PrefixAnswers)
	if err != nil {
		return it.Question
	}
	return text
}

//go:embed sheet.tmpl
var files embed.FS

var page = template.Must(template.ParseFS(files, "sheet.tmpl"))

// WriteHTML writes the same form as a page that works without a server: ratings are
// chosen, kept in the browser, and saved as a CSV file.
func WriteHTML(w io.Writer, items []Item) error {
	type answer struct{ Code, Question, Reference, Answer string }
	data := struct {
		Names   []string
		Answers []answer
	}{Names: names[:]}
	for i := range items {
		it := &items[i]
		data.Answers = append(data.Answers, answer{it.Code(), asked(it), it.Reference, it.Answer})
	}
	return page.Execute(w, data)
}
