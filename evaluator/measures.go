package evaluator

import (
	"strconv"

	"lexagent/evaluator/metrics"
)

// family is a measure at any cutoff.
type family struct {
	name  string
	of    func(r metrics.Ranking, k int) float64
	all   bool   // has a meaning without a cutoff too: map, mrr
	title string // in tables, where it isn't the name
}

// families are the measures in the order of tables. hit, all and first say of each
// question whether any, all, or the first named of its golds are found.
var families = []family{
	{name: "recall", of: metrics.Ranking.Recall, title: "recall (macro)"},
	{name: "recall_micro", title: "recall (micro)"},
	{name: "ndcg", of: metrics.Ranking.NDCG},
	{name: "mrr", of: metrics.Ranking.ReciprocalRank, all: true},
	{name: "map", of: metrics.Ranking.AveragePrecision, all: true},
	{name: "hit", of: metrics.Ranking.Hit},
	{name: "all", of: metrics.Ranking.All},
	{name: "first", of: metrics.Ranking.First},
	{name: "precision", of: metrics.Ranking.Precision},
}

// legalDC are the measures of Legal-DC's own scripts, under names of their own.
var legalDC = []struct {
	name string
	of   func(p metrics.Passages, k int) float64
}{
	{"legal_dc_recall", metrics.Passages.Recall},
	{"legal_dc_mrr", metrics.Passages.MRR},
}

// at names a measure: recall@5, or map where k is 0.
func (f family) at(k int) string {
	if k == 0 {
		return f.name
	}
	return f.name + "@" + strconv.Itoa(k)
}

// cutoffs are those that the family is reported at.
func (f family) cutoffs(k []int) []int {
	if f.all {
		return append(k[:len(k):len(k)], 0)
	}
	return k
}

// series is the family question by question. Only micro recall, the share of
// all golds of all questions that are found, is no mean over questions.
func (f family) series(rankings []metrics.Ranking, k int) metrics.Series {
	s := metrics.Series{Num: make([]float64, len(rankings))}
	if f.of != nil {
		for i, r := range rankings {
			s.Num[i] = f.of(r, k)
		}
		return s
	}
	s.Den = make([]float64, len(rankings))
	for i, r := range rankings {
		s.Num[i] = float64(r.Found(k))
		s.Den[i] = float64(len(r.Ranks))
	}
	return s
}

// table holds every measure question by question; the intervals, the groups and
// the comparison of two runs are all made from it.
type table struct {
	k      []int
	ids    []string         // of the questions
	names  []string         // of the measures
	series []metrics.Series // in the order of names
}

// Series are the measures question by question, of the questions that have gold.
func (r *Report) Series() map[string]metrics.Series {
	out := make(map[string]metrics.Series, len(r.table.names))
	for i, name := range r.table.names {
		out[name] = r.table.series[i]
	}
	return out
}

func measure(questions []question, rankings []metrics.Ranking, passages []metrics.Passages, k []int) table {
	t := table{k: k}
	for i := range questions {
		t.ids = append(t.ids, questions[i].id)
	}
	for _, f := range families {
		for _, cut := range f.cutoffs(k) {
			t.names = append(t.names, f.at(cut))
			t.series = append(t.series, f.series(rankings, cut))
		}
	}
	if passages == nil {
		return t
	}
	for _, f := range legalDC {
		for _, cut := range k {
			s := metrics.Series{Num: make([]float64, len(passages))}
			for i, p := range passages {
				s.Num[i] = f.of(p, cut)
			}
			t.names = append(t.names, family{name: f.name}.at(cut))
			t.series = append(t.series, s)
		}
	}
	return t
}

func (t table) values(o Options) map[string]Metric {
	out := make(map[string]Metric, len(t.names))
	for i, in := range metrics.Bootstrap(t.series, o.Bootstrap, o.Level, o.Seed) {
		out[t.names[i]] = Metric{Value: t.series[i].Value(), Low: in.Low, High: in.High}
	}
	return out
}

func (t table) groups(o Options) map[string]Groups {
	if len(o.Groups) == 0 {
		return nil
	}
	out := make(map[string]Groups, len(o.Groups))
	for _, g := range o.Groups {
		out[g.Name] = t.grouped(g.Of, o)
	}
	return out
}

func (t table) grouped(of map[string]string, o Options) Groups {
	members := map[string][]int{}
	for i, id := range t.ids {
		name := of[id]
		if name == "" {
			name = "other"
		}
		members[name] = append(members[name], i)
	}
	out := make(Groups, len(members))
	for name, places := range members {
		out[name] = Group{Queries: len(places), Metrics: t.pick(places).values(o)}
	}
	return out
}

// pick is the table of some of the questions.
func (t table) pick(places []int) table {
	out := table{k: t.k, names: t.names, series: make([]metrics.Series, len(t.series))}
	for i, s := range t.series {
		for _, p := range places {
			out.series[i].Num = append(out.series[i].Num, s.Num[p])
			if s.Den != nil {
				out.series[i].Den = append(out.series[i].Den, s.Den[p])
			}
		}
	}
	return out
}
