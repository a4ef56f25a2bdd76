package verify

import (
	"slices"
	"strings"
)

// Edit is one difference between an article and a quotation of it.
type Edit struct {
	Op string `json:"op"` // replace, delete (the quotation left it out) or insert (it added it)
	A  string `json:"a"`  // the article's words
	B  string `json:"b"`  // the quotation's words
}

// The operations of an Edit.
const (
	opReplace = "replace"
	opDelete  = "delete"
	opInsert  = "insert"
)

// block is a run of tokens that the quotation and the article share.
type block struct{ q, a, n int }

// budget bounds the work of comparing, in steps; what is left when it is used up is
// not compared.
type budget int

// blocks returns the runs that q and a share, in the order of both: the longest one
// first, then those before and behind it. ok is false when the budget is used up.
func blocks(q, a *folded, work *budget) (shared []block, ok bool) {
	type field struct{ qFrom, qTo, aFrom, aTo int }
	m := &matcher{q: q, a: a, row: make([]int, a.len()+1), last: make([]int, a.len()+1), work: work}
	open := []field{{0, q.len(), 0, a.len()}}
	for len(open) > 0 {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		b := m.longest(f.qFrom, f.qTo, f.aFrom, f.aTo)
		if *work <= 0 {
			return nil, false
		}
		small := f.qTo-f.qFrom <= 8 && f.aTo-f.aFrom <= 8
		if b.n == 0 || b.n == 1 && !small { // one letter far from all others says nothing
			continue
		}
		shared = append(shared, b)
		open = append(open, field{f.qFrom, b.q, f.aFrom, b.a}, field{b.q + b.n, f.qTo, b.a + b.n, f.aTo})
	}
	slices.SortFunc(shared, func(x, y block) int { return x.q - y.q })
	tighten(q, a, shared)
	return join(shared), true
}

// tighten moves runs that the article has more than once to where they stand beside
// the run behind or before them as they do in the quotation.
func tighten(q, a *folded, list []block) {
	move := func(k, to, from, end int) {
		b := &list[k]
		if to >= from && to+b.n <= end && slices.Equal(q.tokens[b.q:b.q+b.n], a.tokens[to:to+b.n]) {
			b.a = to
		}
	}
	for k := len(list) - 2; k >= 0; k-- {
		from := 0
		if k > 0 {
			from = list[k-1].a + list[k-1].n
		}
		next := list[k+1]
		move(k, next.a-(next.q-list[k].q), from, next.a)
	}
	if k := len(list) - 1; k > 0 {
		before := list[k-1]
		move(k, before.a+list[k].q-before.q, before.a+before.n, a.len())
	}
}

// join makes one of blocks that follow each other on both sides.
func join(list []block) []block {
	out := list[:0]
	for _, b := range list {
		if k := len(out) - 1; k >= 0 && out[k].q+out[k].n == b.q && out[k].a+out[k].n == b.a {
			out[k].n += b.n
			continue
		}
		out = append(out, b)
	}
	return out
}

// matcher finds longest common runs with two rows that it keeps.
type matcher struct {
	q, a      *folded
	row, last []int // row[j+1]: length of the common run that ends at a[j]
	work      *budget
}

// longest returns the longest common run within bounds, the first of equal ones.
func (m *matcher) longest(qFrom, qTo, aFrom, aTo int) block {
	var best block
	places := m.a.index()
	var before []int // places filled in the last row
	for i := qFrom; i < qTo && *m.work > 0; i++ {
		here := within(places[m.q.tokens[i]], aFrom, aTo)
		*m.work -= budget(len(here) + 1)
		for _, j := range here {
			n := 1
			if j > aFrom {
				n += m.last[j]
			}
			m.row[j+1] = n
			if n > best.n {
				best = block{i - n + 1, j - n + 1, n}
			}
		}
		for _, j := range before {
			m.last[j+1] = 0
		}
		m.row, m.last, before = m.last, m.row, here
	}
	for _, j := range before {
		m.last[j+1] = 0
	}
	return best
}

// within returns the part of a sorted list that lies in [from, to).
func within(list []int, from, to int) []int {
	i, _ := slices.BinarySearch(list, from)
	j, _ := slices.BinarySearch(list, to)
	return list[i:j]
}

// minShared is the shortest shared run that counts as taken from the article:
// shorter ones are common to all laws.
const minShared = 3

// likeness is the share of the quotation that lies in runs of the article.
func likeness(q *folded, shared []block) float64 {
	n := 0
	for _, b := range shared {
		if b.n >= minShared || b.n == q.len() {
			n += b.n
		}
	}
	return float64(n) / float64(max(1, q.len()))
}

// comparison is a quotation beside an article.
type comparison struct {
	likeness float64
	edits    []Edit
	from, to int  // the passage of the article it takes up, in tokens
	clauses  bool // whole clauses are left out and nothing else differs
	weighty  bool // a number differs, or a word that decides what is allowed
}

// compare aligns a quotation with an article. It is for quotations that are not in
// the article as a whole.
func compare(q, a *folded, work *budget) (comparison, bool) {
	shared, ok := blocks(q, a, work)
	if !ok || len(shared) == 0 {
		return comparison{}, ok
	}
	c := comparison{likeness: likeness(q, shared), clauses: true}
	first, last := shared[0], shared[len(shared)-1]
	c.from, c.to = max(first.a-first.q, startOfClause(a, first.a)), min(last.a+last.n+q.len()-last.q-last.n, endOfClause(a, last.a+last.n))
	qAt, aAt := 0, c.from
	for _, b := range append(shared, block{q.len(), c.to, 0}) {
		c.add(q, a, qAt, b.q, aAt, b.a)
		qAt, aAt = b.q+b.n, b.a+b.n
	}
	return c, true
}

// startOfClause is the beginning of the clause that token i is in.
func startOfClause(a *folded, i int) int {
	for i > 0 && !a.edge(i) {
		i--
	}
	return i
}

// endOfClause is the end of the clause that ends at or behind token i.
func endOfClause(a *folded, i int) int {
	for i < a.len() && !a.edge(i) {
		i++
	}
	return i
}

// add records the difference between q[qFrom:qTo] and a[aFrom:aTo].
func (c *comparison) add(q, a *folded, qFrom, qTo, aFrom, aTo int) {
	left, added := aTo-aFrom, qTo-qFrom
	e := Edit{A: a.words(aFrom, aTo), B: q.words(qFrom, qTo)}
	switch {
	case left <= 0 && added == 0:
		return
	case added == 0:
		e.Op = opDelete
		c.clauses = c.clauses && wholeClauses(a, aFrom, aTo)
	case left <= 0:
		e.Op, c.clauses = opInsert, false
	default:
		e.Op, c.clauses = opReplace, false
	}
	if e.Op != opDelete || !wholeClauses(a, aFrom, aTo) {
		c.weighty = c.weighty || weighty(q.tokens[qFrom:qTo], a.tokens[aFrom:max(aFrom, aTo)], e)
	}
	c.edits = append(c.edits, e)
}

// wholeClauses reports whether the tokens [from, to) are one clause or several. The
// same words at both ends make the place of a gap ambiguous, so it may slide.
func wholeClauses(a *folded, from, to int) bool {
	for i, j := from, to; ; i, j = i-1, j-1 {
		if a.edge(i) && a.edge(j) {
			return true
		}
		if i == 0 || a.tokens[i-1] != a.tokens[j-1] {
			break
		}
	}
	for i, j := from, to; j < a.len() && a.tokens[i] == a.tokens[j]; i, j = i+1, j+1 {
		if a.edge(i+1) && a.edge(j+1) {
			return true
		}
	}
	return false
}

// deciding are words that decide what a rule demands, allows or forbids.
var deciding = []string{"应当", "可以", "不得", "必须", "禁止", "应", "可", "须", "不", "无", "未", "非", "以上", "以下", "以内", "以外", "超过",
	"不满", "或者", "或", "和", "并", "全部", "部分", "有权", "无权", "有效", "无效", "除外"}

// weighty reports whether an edit changes a number or a deciding word.
func weighty(q, a []token, e Edit) bool {
	numbers := func(list []token) (out []token) {
		for _, t := range list {
			if t.isNumber() {
				out = append(out, t)
			}
		}
		return out
	}
	if !slices.Equal(numbers(q), numbers(a)) {
		return true
	}
	for _, w := range deciding {
		if strings.Contains(e.A, w) != strings.Contains(e.B, w) {
			return true
		}
	}
	return false
}
