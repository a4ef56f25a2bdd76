package dataset

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"lexagent/statute"
)

// Info is what a data set holds.
type Info struct {
	Format    Format         `json:"format"`
	Questions int            `json:"questions"`
	Groups    int            `json:"groups"`   // seed questions, conversations or documents
	Length    float64        `json:"length"`   // of a question, mean, in characters
	Answers   int            `json:"answers"`  // questions with a reference answer
	True      int            `json:"true"`     // statements that are true
	False     int            `json:"false"`    // statements that are not
	Keywords  int            `json:"keywords"` // in all
	NoGold    int            `json:"no_gold"`  // questions with neither articles nor evidence
	Golds     int            `json:"golds"`    // articles named, in all
	Distinct  int            `json:"distinct"` // different ones among them
	Passages  int            `json:"passages"` // of evidence
	Types     map[string]int `json:"types,omitempty"`
	Levels    map[string]int `json:"levels,omitempty"` // golds by their law's level, told from its title
	Articles  int            `json:"articles"`         // candidates that the set brings along
}

// Describe counts what a data set holds.
func Describe(s *Set) Info {
	in := Info{Format: s.Format, Questions: len(s.Questions), Articles: len(s.Articles), Types: map[string]int{}, Levels: map[string]int{}}
	groups, golds := map[string]bool{}, map[string]bool{}
	chars := 0
	for i := range s.Questions {
		q := &s.Questions[i]
		groups[q.together()] = true
		chars += utf8.RuneCountInString(q.Question)
		in.Keywords += len(q.Keywords)
		in.Golds += len(q.Gold)
		in.Passages += len(q.Evidence)
		if q.Answer != "" {
			in.Answers++
		}
		if q.Type != "" {
			in.Types[q.Type]++
		}
		if q.Label != nil && *q.Label {
			in.True++
		} else if q.Label != nil {
			in.False++
		}
		if len(q.Gold)+len(q.Evidence) == 0 {
			in.NoGold++
		}
		for j := range q.Gold {
			g := &q.Gold[j]
			golds[g.Key()] = true
			if g.Law != "" {
				in.Levels[strconv.Itoa(int(statute.LevelOf(g.Law, "", "")))]++
			}
		}
	}
	in.Groups, in.Distinct = len(groups), len(golds)
	if in.Questions > 0 {
		in.Length = float64(chars) / float64(in.Questions)
	}
	return in
}

// WriteTable writes the counts for people.
func (in Info) WriteTable(w io.Writer) error {
	per := func(n int) string {
		if in.Questions == 0 || n == 0 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%d, %.2f a question", n, float64(n)/float64(in.Questions))
	}
	rows := [][2]string{
		{"format", string(in.Format)},
		{"questions", fmt.Sprintf("%d in %d groups, %.1f characters on average", in.Questions, in.Groups, in.Length)},
		{"without gold", strconv.Itoa(in.NoGold)},
		{"gold articles", fmt.Sprintf("%s, %d different", per(in.Golds), in.Distinct)},
		{"evidence passages", per(in.Passages)},
		{"reference answers", strconv.Itoa(in.Answers)},
		{"statements", fmt.Sprintf("%d true, %d false", in.True, in.False)},
		{"keywords", per(in.Keywords)},
		{"candidate articles", strconv.Itoa(in.Articles)},
	}
	for _, t := range slices.Sorted(maps.Keys(in.Types)) {
		rows = append(rows, [2]string{"type " + t, strconv.Itoa(in.Types[t])})
	}
	for _, l := range slices.Sorted(maps.Keys(in.Levels)) {
		rows = append(rows, [2]string{"golds of level " + l, strconv.Itoa(in.Levels[l])})
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "%-20s %s\n", r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}
