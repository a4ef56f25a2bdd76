package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/statute"
)

// Features names the columns of a candidate's row, in their order. A ranker is
// trained on these and no others.
//
// words, tuned and plain are the three scores: BM25, and the inner products with
// the question's vectors by the tuned and by the plain model. Of each there are the
// distance to the best candidate and the logarithm of the rank.
func Features() []string {
	return []string{
		"words", "words_share", "words_rank",
		"tuned", "tuned_gap", "tuned_rank",
		"plain", "plain_gap", "plain_rank",
		"title_share",        // of the question's words, by weight, those in title and headings
		"asked", "asked_law", // log(1 + how often the unit, its law, governs a question of training)
		"asked_best", "asked_mass", "asked_share", // how near those questions are
		"law_rank", "law_best", "law_count", // the law among the candidates, by tuned similarity
		"beside", // tuned similarity of the better neighbour in the text, if it is a candidate
		"level", "length", "number", "chunk",
		"question_length", "question_words", "question_best",
		"asks_definition", "asks_consequence", "asks_procedure", "asks_amount", "asks_whether",
		"is_definition", "is_consequence", "is_penal", "is_procedure", "is_duty",
	}
}

// features computes the rows of all candidates of a search. They must have been
// read, and scored in both paths.
func (s *search) features(found []candidate, r *Ranker) [][]float64 {
	near := r.asked.near(s.dense)
	mass := 0.0
	for _, m := range near {
		mass += m.mass
	}
	words := column(found, func(c *candidate) float64 { return c.words })
	tuned := column(found, func(c *candidate) float64 { return *c.scores.Dense })
	plain := column(found, func(c *candidate) float64 { return *c.scores.Plain })
	wordsRank, tunedRank, plainRank := ranks(words), ranks(tuned), ranks(plain)
	bestWords, bestTuned, bestPlain := slices.Max(words), slices.Max(tuned), slices.Max(plain)
	weight := 0.0
	for _, w := range s.words.Weights {
		weight += float64(w)
	}
	laws := lawsOf(found, tuned)
	beside := besides(found, tuned)
	asks := traits(s.q.Text, questionTraits)
	titles := map[string]float64{}
	length := math.Log1p(float64(utf8.RuneCountInString(s.q.Text)))
	rows := make([][]float64, len(found))
	for i := range found {
		c := &found[i]
		heading := c.law.Title + "\n" + strings.Join(c.unit.Path, "\n")
		title, ok := titles[heading]
		if !ok {
			title = s.titleShare(heading, weight)
			titles[heading] = title
		}
		a := r.recall(c, near)
		law := laws[c.law.ID]
		rows[i] = []float64{
			words[i], share(words[i], bestWords), math.Log(float64(wordsRank[i])),
			tuned[i], bestTuned - tuned[i], math.Log(float64(tunedRank[i])),
			plain[i], bestPlain - plain[i], math.Log(float64(plainRank[i])),
			title,
			math.Log1p(float64(a.count)), math.Log1p(float64(r.asked.counts[a.law])),
			a.best, a.mass, share(a.mass, mass),
			math.Log(float64(law.rank)), bestTuned - law.best, float64(law.count) / float64(len(found)),
			beside[i],
			float64(c.law.Level), math.Log1p(float64(len(c.unit.Text))), math.Log1p(float64(c.unit.Number)), flag(c.unit.Kind == statute.Chunk),
			length, share(words[i], weight), bestTuned,
		}
		rows[i] = slices.Concat(rows[i], asks, traits(c.unit.Text, unitTraits))
	}
	return rows
}

func column(found []candidate, value func(*candidate) float64) []float64 {
	out := make([]float64, len(found))
	for i := range found {
		out[i] = value(&found[i])
	}
	return out
}

// share is part/whole, 0 where there is no whole.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// titleShare is the weight of the question's terms that a heading holds, of all.
func (s *search) titleShare(heading string, weight float64) float64 {
	t := s.store.Query(heading)
	sum := 0.0
	for i, term := range s.words.Terms {
		if _, ok := slices.BinarySearch(t.Terms, term); ok {
			sum += float64(s.words.Weights[i])
		}
	}
	return share(sum, weight)
}

// lawStanding is how a law stands among the candidates.
type lawStanding struct {
	best  float64 // tuned similarity of its best candidate
	count int     // its candidates
	rank  int     // by best, from 1
}

func lawsOf(found []candidate, tuned []float64) map[string]*lawStanding {
	laws := map[string]*lawStanding{}
	for i := range found {
		l := laws[found[i].law.ID]
		if l == nil {
			l = &lawStanding{best: math.Inf(-1)}
			laws[found[i].law.ID] = l
		}
		l.best = max(l.best, tuned[i])
		l.count++
	}
	order := make([]*lawStanding, 0, len(laws))
	for _, l := range laws {
		order = append(order, l)
	}
	slices.SortFunc(order, func(a, b *lawStanding) int { return cmp.Compare(b.best, a.best) })
	for i, l := range order {
		l.rank = i + 1
		if i > 0 && l.best == order[i-1].best {
			l.rank = order[i-1].rank
		}
	}
	return laws
}

// besides returns for each candidate the tuned similarity of the better one of its
// neighbours in the text, 0 where neither is a candidate.
func besides(found []candidate, tuned []float64) []float64 {
	type place struct {
		law    string
		number int
	}
	at := map[place]float64{}
	for i := range found {
		if n := found[i].unit.Number; n > 0 {
			p := place{found[i].law.ID, n}
			at[p] = max(at[p], tuned[i])
		}
	}
	out := make([]float64, len(found))
	for i := range found {
		if n := found[i].unit.Number; n > 0 {
			out[i] = max(at[place{found[i].law.ID, n - 1}], at[place{found[i].law.ID, n + 1}])
		}
	}
	return out
}

// What a question asks for and what a unit provides, by the words that tell (LexPath
// § 3.5 has a language model tell it).
var (
	questionTraits = [][]string{
		{"什么是", "是什么", "是指", "什么叫", "定义", "含义", "区别", "包括哪些", "有哪些"},
		{"处罚", "判", "坐牢", "刑", "罚", "赔", "责任", "后果", "违法", "犯法", "犯罪", "负责", "追究", "拘留"},
		{"怎么办", "如何", "流程", "程序", "办理", "起诉", "申请", "手续", "材料", "登记", "仲裁", "投诉", "维权", "举报", "哪个部门", "哪里"},
		{"多少", "多久", "多长", "几年", "几天", "期限", "标准", "时效", "几个月", "几倍", "比例"},
		{"吗", "是否", "能不能", "可不可以", "合法", "有效", "算不算", "有没有权"},
	}
	unitTraits = [][]string{
		{"是指", "所称", "系指", "下列用语", "包括下列"},
		{"罚款", "责令", "赔偿", "责任", "没收", "吊销", "处分", "拘留", "警告"},
		{"有期徒刑", "拘役", "管制", "罚金", "死刑"},
		{"申请", "受理", "提交", "办理", "登记", "日内", "审查", "送达", "起诉", "举证", "期限"},
		{"应当", "不得", "禁止"},
	}
)

// traits tells which of the lists of words a text has one of, as 0 and 1.
func traits(text string, lists [][]string) []float64 {
	out := make([]float64, len(lists))
	for i, words := range lists {
		out[i] = flag(has(text, words))
	}
	return out
}

// remembered is what the questions of training tell of a candidate.
type remembered struct {
	recalled
	count int
	law   string
}

// recall looks a candidate up in the questions; a chunk has the best of its units.
func (r *Ranker) recall(c *candidate, near map[string]recalled) remembered {
	keys := []string{UnitKey(c.unit.ID)}
	if c.unit.Kind == statute.Chunk {
		keys = keys[:0]
		for _, id := range c.units {
			keys = append(keys, UnitKey(id))
		}
	}
	var m remembered
	for _, key := range keys {
		m.law = lawOf(key)
		n := near[key]
		m.best, m.mass = max(m.best, n.best), max(m.mass, n.mass)
		m.count = max(m.count, r.asked.counts[key])
	}
	return m
}
