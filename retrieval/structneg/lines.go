package structneg

// Line is a line of FlagEmbedding's training files: a question, one positive and
// its negatives, as texts. The ids are beside them for whoever looks at the lines;
// they are the source's own where it has some.
type Line struct {
	Query string   `json:"query"`
	Pos   []string `json:"pos"`
	Neg   []string `json:"neg"`
	ID    string   `json:"id"`
	PosID []string `json:"pos_id"`
	NegID []string `json:"neg_id"`
}

// Line puts texts in the place of ids.
func (c *Corpus) Line(q *Question, m *Mined) Line {
	negatives := m.All()
	return Line{
		Query: q.Text, Pos: []string{c.Passage(m.Positive)}, Neg: each(negatives, c.Passage),
		ID: q.ID, PosID: []string{c.SourceID(m.Positive)}, NegID: each(negatives, c.SourceID),
	}
}

// Pair is a question with all its positives, as training/lexpath/train.py reads it.
type Pair struct {
	ID    string     `json:"id"`
	Query string     `json:"query"`
	Kind  string     `json:"kind"` // where the query comes from
	Pos   []string   `json:"pos"`
	Also  []string   `json:"also"` // neither positive nor negative: a positive's wording, or another version of it
	Neg   [][]string `json:"neg"`  // of each positive
}

// Pair puts the runs of one question together.
func (c *Corpus) Pair(q *Question, runs []Mined) Pair {
	p := Pair{ID: q.ID, Query: q.Text, Kind: "question", Pos: each(q.Golds, c.SourceID), Also: []string{}, Neg: make([][]string, len(runs))}
	gold := map[string]bool{}
	for _, id := range q.Golds {
		gold[id] = true
	}
	for _, id := range c.same(q.Golds) {
		if !gold[id] {
			p.Also = append(p.Also, c.SourceID(id))
		}
	}
	for i := range runs {
		p.Neg[i] = each(runs[i].All(), c.SourceID)
	}
	return p
}

func each(ids []string, of func(string) string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = of(id)
	}
	return out
}
