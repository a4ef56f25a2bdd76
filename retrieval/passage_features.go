package retrieval

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// passageFeatures names the columns of a passage's row. Their order is part of
// reader.json.
var passageFeatures = []string{
	"tuned_max", "tuned_mean", "tuned_first", "tuned_gap", "plain_max", "plain_mean", "plain_gap", // cosines of its sentences with the question; the gap to the best sentence of all
	"covers", "covers_gap", "covers_max", // share of the question's pairs
	"tuned_rest", "plain_rest", "precise", // the best of the unit's other sentences; share of its own pairs that the question has
	"runes", "sentences", "items", "lead", "ends_lead", "starts_item", "item_follows",
	"rank", "score", "fused", "hit_plain", "sparse", "dense", // of the hit
	"hit_sentences", "share", "rest", "title", "level",
	"says_define", "says_number", "says_must", "says_not", "says_punish", "says_office", "says_purpose", "says_effect", // what the passage says
	"asks_effect", "paragraph", "question_runes",
	"asks_define", "asks_which", "asks_whether", "asks_when", "asks_who", "asks_how", "asks_punish", "asks_why", // what the question asks
}

var itemMark = regexp.MustCompile(`^\s*(（[一二三四五六七八九十]+）|\([一二三四五六七八九十]+\)|[0-9]+[.．、]|（[0-9]+）)`)

// says and asks are the cues of passages and of questions. Every passage of every hit is
// looked at, so those of passages are plain searches where they can be.
var (
	says = []func(string) bool{
		anyOf("是指", "所称", "包括", "称为"), saysNumber, anyOf("应当"), anyOf("不得"),
		anyOf("罚款", "处以", "责令", "吊销", "没收"), anyOf("部门", "机关", "委员会", "总局"), saysPurpose, anyOf("起施行"),
	}
	madeUnder  = regexp.MustCompile(`根据.{2,30}制定`)
	asksEffect = regexp.MustCompile(`施行|实施|生效`)
	asks       = []*regexp.Regexp{
		regexp.MustCompile(`什么是|是什么|含义|定义|是指|指的是`), regexp.MustCompile(`哪些|哪几|有哪|包括|内容|方面|条件|要求|情形`), regexp.MustCompile(`是否|吗|能否|可以|可不可以|需不需要|是不是`),
		regexp.MustCompile(`多久|多长|何时|什么时候|时间|期限|几日|几天|多少|几`), regexp.MustCompile(`谁|哪个|哪家|什么部门|机构|部门|主体`), regexp.MustCompile(`如何|怎么|怎样|程序|流程|步骤`),
		regexp.MustCompile(`处罚|罚|责任|后果|法律责任`), regexp.MustCompile(`为什么|目的|原则|意义`),
	}
)

func anyOf(words ...string) func(string) bool {
	return func(text string) bool { return has(text, words) }
}

// saysNumber reports whether a text has a digit, or a Chinese number before what is
// counted: 三十日.
func saysNumber(text string) bool {
	counting := false
	for _, r := range text {
		if r >= '0' && r <= '9' || r >= '０' && r <= '９' || counting && strings.ContainsRune("日年月万倍个", r) {
			return true
		}
		counting = strings.ContainsRune("一二三四五六七八九十", r)
	}
	return false
}

// saysPurpose reports whether a text says what its law is for.
func saysPurpose(text string) bool {
	return strings.Contains(text, "为了") || strings.Contains(text, "根据") && madeUnder.MatchString(text)
}

func endsWithColon(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasSuffix(s, "：") || strings.HasSuffix(s, ":")
}

// bigramsOf are the pairs of letters and digits that follow each other, marks between
// them left out.
func bigramsOf(s string) map[string]bool {
	out := map[string]bool{}
	var last rune
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		if last != 0 {
			out[string([]rune{last, r})] = true
		}
		last = r
	}
	return out
}

// reading is a question as passages are held against it.
type reading struct {
	bigrams map[string]bool
	weights []weight // of its pairs, in the order of the pairs, so that sums are the same each time
	total   float64
	runes   float64
	effect  float64
	cues    []float64
}

type weight struct {
	pair string
	of   float64
}

func readQuestion(text string) *reading {
	q := &reading{bigrams: bigramsOf(text), runes: float64(utf8.RuneCountInString(text)), effect: indicator(asksEffect.MatchString(text))}
	for _, c := range asks {
		q.cues = append(q.cues, indicator(c.MatchString(text)))
	}
	return q
}

// cover fills in how much of the question each sentence has; pairs that few sentences
// have count more.
func (q *reading) cover(all []sentence) {
	df := map[string]int{}
	for i := range all {
		for p := range all[i].bigrams {
			if q.bigrams[p] {
				df[p]++
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(q.bigrams)) {
		w := math.Log(1 + float64(len(all))/(1+float64(df[p])))
		q.weights = append(q.weights, weight{p, w})
		q.total += w
	}
	for i := range all {
		all[i].covers = q.covers(all[i].bigrams)
	}
}

func (q *reading) covers(bigrams map[string]bool) float64 {
	if q.total == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range q.weights {
		if bigrams[w.pair] {
			sum += w.of
		}
	}
	return sum / q.total
}

func shared(a, b map[string]bool) float64 {
	n := 0
	for p := range a {
		if b[p] {
			n++
		}
	}
	return float64(n)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// passageRows computes rows over the sentences of all hits.
type passageRows struct {
	q                   *reading
	hits                []Hit
	all                 []sentence
	from                []int // by hit: its first sentence; one more at the end
	tuned, plain, cover float64
	letters, title      []float64 // by hit
}

func newPassageRows(q *reading, hits []Hit, all []sentence) *passageRows {
	f := &passageRows{q: q, hits: hits, all: all, tuned: -1, plain: -1}
	at := 0
	for h := range hits {
		for at < len(all) && all[at].hit < h {
			at++
		}
		f.from = append(f.from, at)
		law := bigramsOf(hits[h].Law)
		f.letters = append(f.letters, float64(lettersIn(hits[h].Text)))
		f.title = append(f.title, shared(q.bigrams, law)/float64(len(law)+1))
	}
	f.from = append(f.from, len(all))
	for i := range all {
		f.tuned, f.plain, f.cover = max(f.tuned, all[i].tuned), max(f.plain, all[i].plain), max(f.cover, all[i].covers)
	}
	return f
}

// sentences is where the sentences of a hit are: [from, to).
func (f *passageRows) sentences(hit int) (from, to int) { return f.from[hit], f.from[hit+1] }

func (f *passageRows) row(hit int, span []int, text string) []float64 {
	h := &f.hits[hit]
	from, to := f.sentences(hit)
	in := map[int]bool{}
	union := map[string]bool{}
	var tunedMax, tunedSum, plainMax, plainSum, coverMax, width, items float64
	tunedMax, plainMax = -1, -1
	for _, i := range span {
		s := &f.all[i]
		in[i] = true
		for p := range s.bigrams {
			union[p] = true
		}
		w := float64(utf8.RuneCountInString(s.text))
		tunedMax, plainMax, coverMax = max(tunedMax, s.tuned), max(plainMax, s.plain), max(coverMax, s.covers)
		tunedSum, plainSum, width = tunedSum+w*s.tuned, plainSum+w*s.plain, width+w
		items += indicator(s.item)
	}
	var tunedRest, plainRest float64
	for i := from; i < to; i++ {
		if !in[i] {
			tunedRest, plainRest = max(tunedRest, f.all[i].tuned), max(plainRest, f.all[i].plain)
		}
	}
	first, last := &f.all[span[0]], &f.all[span[len(span)-1]]
	follows := span[len(span)-1]+1 < to && f.all[span[len(span)-1]+1].item
	n := float64(lettersIn(text))
	row := []float64{
		tunedMax, tunedSum / width, first.tuned, f.tuned - tunedMax, plainMax, plainSum / width, f.plain - plainMax,
		f.q.covers(union), f.cover - coverMax, coverMax,
		tunedRest, plainRest, shared(f.q.bigrams, union) / float64(len(union)+1),
		n, float64(len(span)), items, indicator(first.lead), indicator(last.lead), indicator(first.item), indicator(follows),
		float64(hit), h.Score, part(h, func(s *Scores) *float64 { return s.Fused }), part(h, func(s *Scores) *float64 { return s.Plain }),
		part(h, func(s *Scores) *float64 { return s.Sparse }), part(h, func(s *Scores) *float64 { return s.Dense }),
		float64(to - from), n / max(1, f.letters[hit]), float64(to - from - len(span)), f.title[hit], float64(h.Level),
	}
	for _, c := range says {
		row = append(row, indicator(c(text)))
	}
	row = append(row, f.q.effect, float64(first.paragraph), f.q.runes)
	return append(row, f.q.cues...)
}

// part is one of a hit's scores, 0 where it has none.
func part(h *Hit, of func(*Scores) *float64) float64 {
	if h.Scores == nil {
		return 0
	}
	if v := of(h.Scores); v != nil {
		return *v
	}
	return 0
}

func lettersIn(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
