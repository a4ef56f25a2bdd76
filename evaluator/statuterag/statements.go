package statuterag

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
)

// Statement is a statement with what a reviewer needs to judge it.
type Statement struct {
	dataset.Question
	Basis string // the article's words that decide, or the question's explanation
	How   string // how it was made: "option B", "三十日 → 六十日", "as printed"
}

// Exclusion is what was left out, and why.
type Exclusion struct {
	ID     string `json:"id"` // of the question, with the option's key where it's one option
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

// The reasons.
const (
	NoStem      = "the question has no stem"
	NoAnswer    = "no option is marked as the answer"
	Several     = "more than one option is the answer, so this is no single choice"
	InContext   = "it can't be understood without something else (a figure, a case, another question)"
	Negated     = "its stem asks for what is not so, and can't be turned into statements"
	OtherOption = "the option speaks of other options"
	Trivial     = "the statement is too short to ask anything"
	NoArticle   = "no article of the book is named for it"
	Twice       = "another statement says the same"
	Reviewed    = "taken out in review"
)

// Built is a set of statements.
type Built struct {
	Statements []Statement
	Excluded   []Exclusion
}

// Questions are the statements as questions of a data set.
func (b *Built) Questions() []dataset.Question {
	out := make([]dataset.Question, len(b.Statements))
	for i := range b.Statements {
		out[i] = b.Statements[i].Question
	}
	return out
}

func (b *Built) exclude(id, reason, text string) {
	b.Excluded = append(b.Excluded, Exclusion{id, reason, text})
}

// unique takes out statements that say what one before says.
func (b *Built) unique() {
	seen := map[string]bool{}
	kept := b.Statements[:0]
	for _, s := range b.Statements {
		if key := dataset.Squeeze(s.Question.Question); seen[key] {
			b.exclude(s.ID, Twice, s.Question.Question)
		} else {
			seen[key] = true
			kept = append(kept, s)
		}
	}
	b.Statements = kept
}

// Statistics are LexPath's table 5, and what was excluded.
type Statistics struct {
	Seeds       int            `json:"seeds"`
	Statements  int            `json:"statements"`
	True        int            `json:"true"`
	Candidates  int            `json:"candidates"`  // articles of the book
	Annotations int            `json:"annotations"` // articles named by statements, in all
	Articles    float64        `json:"articles"`    // of these a statement, mean
	Length      float64        `json:"length"`      // of a statement, mean, in characters
	Excluded    map[string]int `json:"excluded"`    // by reason
}

// Statistics counts; candidates is how many articles the book has.
func (b *Built) Statistics(candidates int) Statistics {
	s := Statistics{Statements: len(b.Statements), Candidates: candidates, Excluded: map[string]int{}}
	seeds := map[string]bool{}
	for i := range b.Statements {
		q := &b.Statements[i].Question
		seeds[q.Group] = true
		s.Annotations += len(q.Gold)
		s.Length += float64(utf8.RuneCountInString(q.Question)) / float64(len(b.Statements))
		if *q.Label {
			s.True++
		}
	}
	s.Seeds = len(seeds)
	if s.Statements > 0 {
		s.Articles = float64(s.Annotations) / float64(s.Statements)
	}
	for _, e := range b.Excluded {
		reason, _, _ := strings.Cut(e.Reason, ": ")
		s.Excluded[reason]++
	}
	return s
}

// WriteTable writes the statistics for people.
func (s *Statistics) WriteTable(w io.Writer) error {
	b := &strings.Builder{}
	rows := [][]string{{"statistic", "value"},
		{"seed questions", fmt.Sprint(s.Seeds)}, {"statements", fmt.Sprint(s.Statements)}, {"of them true", fmt.Sprint(s.True)},
		{"candidate articles", fmt.Sprint(s.Candidates)}, {"articles named", fmt.Sprint(s.Annotations)},
		{"articles a statement", fmt.Sprintf("%.2f", s.Articles)}, {"characters a statement", fmt.Sprintf("%.2f", s.Length)},
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Excluded)) {
		rows = append(rows, []string{"excluded: " + reason, fmt.Sprint(s.Excluded[reason])})
	}
	evaluator.WriteRows(b, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

// The columns of a review sheet. A reviewer fills in the last two.
var columns = []string{"id", "seed", "statement", "label", "articles", "basis", "how", "keep", "problem"}

// WriteReview writes a sheet for people to read the statements through, CSV.
func (b *Built) WriteReview(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	for i := range b.Statements {
		s := &b.Statements[i]
		var names []string
		for j := range s.Gold {
			names = append(names, "《"+s.Gold[j].Law+"》"+s.Gold[j].Label)
		}
		label := "错误"
		if *s.Label {
			label = "正确"
		}
		row := []string{s.ID, s.Group, s.Question.Question, label, strings.Join(names, "；"), s.Basis, s.How, "", ""}
		for j := range row {
			row[j] = inert(row[j])
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// inert keeps a spreadsheet from taking a text for a formula.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// Apply takes out the statements that a filled-in review sheet does not keep: those
// with n, no, 0 or 否 in the column keep, or with a problem and nothing there.
func (b *Built) Apply(r io.Reader) error {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return fmt.Errorf("the review sheet can't be read: %w", err)
	}
	if len(rows) == 0 {
		return errors.New("the review sheet is empty")
	}
	at := func(name string) int { return slices.Index(rows[0], name) }
	id, keep, problem := at("id"), at("keep"), at("problem")
	if id < 0 || keep < 0 || problem < 0 {
		return errors.New("the review sheet needs the columns id, keep and problem")
	}
	out := map[string]string{}
	for _, row := range rows[1:] {
		said := strings.ToLower(strings.TrimSpace(row[keep]))
		why := strings.TrimSpace(row[problem])
		if slices.Contains([]string{"n", "no", "0", "否"}, said) || said == "" && why != "" {
			out[row[id]] = why
		}
	}
	kept := b.Statements[:0]
	for _, s := range b.Statements {
		if why, gone := out[s.ID]; gone {
			b.exclude(s.ID, strings.TrimSuffix(Reviewed+": "+why, ": "), s.Question.Question)
		} else {
			kept = append(kept, s)
		}
	}
	b.Statements = kept
	return nil
}
