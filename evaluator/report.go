package evaluator

// Report is how good a run is. Its JSON is what programs read; WriteTable is
// for people. Values are not rounded.
type Report struct {
	Queries   int               `json:"queries"`          // questions that count
	Metrics   map[string]Metric `json:"metrics"`          // by name: recall@5, recall_micro@5, ndcg@5, mrr@10, map, …
	Groups    map[string]Groups `json:"groups,omitempty"` // by grouping
	By        By                `json:"by"`
	Depth     int               `json:"depth"` // most hits on a line; a cutoff beyond it adds nothing
	Level     float64           `json:"level"`
	Bootstrap int               `json:"bootstrap"`
	Seed      uint64            `json:"seed"`
	Problems  Problems          `json:"problems"`

	table table
}

// Metric is a measure with its bootstrap interval.
type Metric struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Groups are the groups of a grouping by their names.
type Groups map[string]Group

// Group is the part of a report for some of the questions.
type Group struct {
	Queries int               `json:"queries"`
	Metrics map[string]Metric `json:"metrics"`
}

// Problems lists what was untidy in run and gold, and so what the values do and
// don't cover.
type Problems struct {
	Missing            List `json:"missing,omitzero"`             // questions that the run lacks; they count as 0
	NoGold             List `json:"no_gold,omitzero"`             // questions without gold; left out
	Unknown            List `json:"unknown,omitzero"`             // run lines for questions that the gold lacks; ignored
	DuplicateLines     List `json:"duplicate_lines,omitzero"`     // further run lines for a question; ignored
	DuplicateQuestions List `json:"duplicate_questions,omitzero"` // further gold lines for a question; ignored
	DuplicateHits      List `json:"duplicate_hits,omitzero"`      // further hits with an id; taken out of the ranking
	DuplicateGold      List `json:"duplicate_gold,omitzero"`      // further golds that are the same; taken together
	Rising             List `json:"rising,omitzero"`              // lines on which scores rise; the printed order counts
}

// List counts something, and names the questions where it occurs, each once, in
// file order.
type List struct {
	Count int      `json:"count"`
	IDs   []string `json:"ids"`

	seen map[string]bool
}

// IsZero reports whether nothing was counted; encoding/json then leaves the list
// out.
func (l List) IsZero() bool { return l.Count == 0 }

// Add counts n more at a question; n may be 0.
func (l *List) Add(id string, n int) {
	if n == 0 {
		return
	}
	l.Count += n
	if l.seen[id] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[id] = true
	l.IDs = append(l.IDs, id)
}
