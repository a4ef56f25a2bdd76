package statuterag

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/evaluator/dataset"
	"lexagent/statute"
)

// MarketSupervision are the laws that market supervision applies most.
var MarketSupervision = []string{
	"广告法", "食品安全法", "药品管理法", "疫苗管理法", "产品质量法", "消费者权益保护法", "反不正当竞争法", "反垄断法", "价格法", "商标法", "专利法",
	"计量法", "标准化法", "特种设备安全法", "电子商务法", "农产品质量安全法", "中医药法", "公司法", "合伙企业法", "个人独资企业法", "拍卖法", "招标投标法", "网络安全法",
	"个人信息保护法",
}

// GenerateOptions of Generate. The zero value works.
type GenerateOptions struct {
	Laws        []string     // short titles; nil = MarketSupervision
	N           int          // statements wanted; 0 = 300
	Seed        uint64       // same seed and same book, same statements
	Collections []string     // of the book; nil = public
	Day         statute.Date // whose law it is; 0 = the latest version of each law
}

const (
	defaultStatements = 300
	minSentence       = 18 // characters
	maxSentence       = 120
)

// Generate makes pairs of statements of a book's articles: a sentence as it is
// printed, and the same with one element changed (a number, a duty into a permission,
// who decides). It takes the laws in turn and one sentence an article, so that no law
// and no article is asked about more than another. Sentences that can't be understood
// alone are passed over.
func Generate(ctx context.Context, bk Book, o GenerateOptions) (*Built, error) {
	if o.N == 0 {
		o.N = defaultStatements
	}
	if o.Laws == nil {
		o.Laws = MarketSupervision
	}
	if o.Collections == nil {
		o.Collections = []string{book.DefaultCollection}
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x7374617475746573))
	var lists [][]pair
	for _, l := range chosen(bk.Laws(o.Collections), o) {
		units, err := bk.Units(ctx, l)
		if err != nil {
			return nil, fmt.Errorf("read the articles of %s: %w", l.Title, err)
		}
		if pairs := pairsOf(l, units, rng); len(pairs) > 0 {
			lists = append(lists, pairs)
		}
	}
	b := &Built{}
	for round := 0; len(b.Statements) < o.N; round++ {
		taken := false
		for _, pairs := range lists {
			if round < len(pairs) && len(b.Statements) < o.N {
				b.Statements = append(b.Statements, pairs[round].statements()...)
				taken = true
			}
		}
		if !taken {
			break
		}
	}
	if len(b.Statements) == 0 {
		return b, errors.New("none of these laws is in the book, or none has sentences to ask about")
	}
	b.unique()
	return b, nil
}

// chosen are the versions of the laws that are asked about, in the order of the list.
func chosen(laws []*statute.Law, o GenerateOptions) []*statute.Law {
	var out []*statute.Law
	for _, name := range o.Laws {
		var best *statute.Law
		for _, l := range laws {
			if l.Short != statute.ShortTitle(name) || o.Day != 0 && l.StatusOn(o.Day) != statute.InForce {
				continue
			}
			if best == nil || l.Version > best.Version {
				best = l
			}
		}
		if best != nil && !slices.Contains(out, best) {
			out = append(out, best)
		}
	}
	return out
}

// pair is a sentence of an article with one change.
type pair struct {
	law      *statute.Law
	unit     *statute.Unit
	sentence string
	change
}

// change is one element of a sentence with what it is changed into.
type change struct {
	at       int // byte in the sentence
	from, to string
}

func (p *pair) statements() []Statement {
	intro := "根据《" + p.law.Title + "》，"
	altered := p.sentence[:p.at] + p.to + p.sentence[p.at+len(p.from):]
	yes, no := true, false
	gold := []dataset.Article{{ID: p.unit.ID, Law: p.law.Title, Label: p.unit.Label, Grade: 1}}
	id := p.unit.ID
	question := func(suffix, text string, label *bool) dataset.Question {
		return dataset.Question{ID: id + suffix, Question: intro + text, Group: id, Label: label, Gold: gold}
	}
	return []Statement{
		{question("-T", p.sentence, &yes), p.sentence, "as printed"},
		{question("-F", altered, &no), p.sentence, p.from + " → " + p.to},
	}
}

// pairsOf makes at most one pair of each article, in a drawn order.
func pairsOf(l *statute.Law, units []statute.Unit, rng *rand.Rand) []pair {
	var out []pair
	for i := range units {
		u := &units[i]
		if u.Kind != statute.Article {
			continue
		}
		var fit []pair
		for _, s := range sentences(u.Text, l) {
			for _, c := range changes(s) {
				fit = append(fit, pair{l, u, s, c})
			}
		}
		// Most sentences have a duty; what is rarer goes first, so that not every
		// false statement says 可以.
		if rare := slices.DeleteFunc(slices.Clone(fit), func(p pair) bool { return p.from == "应当" }); len(rare) > 0 {
			fit = rare
		}
		if len(fit) > 0 {
			out = append(out, fit[rng.IntN(len(fit))])
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

var (
	// What makes a sentence depend on those around it.
	dependent = regexp.MustCompile(`前款|前项|前条|前两款|本条|本章|本节|本款|下列|以下情形|上述|如下|第[一二三四五六七八九十百零〇]+[条款项]|（[一二三四五六七八九十]+）|该|此|同时|上款`)
	begins    = regexp.MustCompile(`^(?:但|并|对此|情节严重|情节较|构成|逾期|其|因此|有前|具体|除|应当|可以|不得|符合)`)
	own       = regexp.MustCompile(`本法|本条例`)
)

// sentences are those of an article that can be understood alone.
func sentences(text string, l *statute.Law) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for s := range strings.SplitAfterSeq(strings.TrimSpace(line), "。") {
			s = own.ReplaceAllLiteralString(s, "《"+l.Short+"》")
			n := utf8.RuneCountInString(s)
			its := strings.NewReplacer("其他", "", "其中", "", "尤其", "").Replace(s)
			if n < minSentence || n > maxSentence || !strings.HasSuffix(s, "。") || dependent.MatchString(s) || begins.MatchString(s) || strings.Contains(its, "其") {
				continue
			}
			out = append(out, s)
		}
	}
	return out
}

// swaps are words that decide, with what makes the sentence false. Longer ones first.
var swaps = [][2]string{
	{"不得", "可以"}, {"应当", "可以"}, {"可以", "应当"}, {"必须", "可以"}, {"禁止", "允许"}, {"有权", "无权"},
	{"连带责任", "按份责任"}, {"书面", "口头"}, {"县级以上", "乡级以上"}, {"由国务院", "由省级人民政府"}, {"无效", "有效"},
}

// quantity is a number with a unit that it is exact in.
var quantity = regexp.MustCompile(`([一二两三四五六七八九十百千零]+)(万元|元|个月|个工作日|日|年|倍|小时)(以上|以下|以内|内)?`)

// changes are the ways to make a sentence false in one element.
func changes(s string) []change {
	var out []change
	for _, m := range quantity.FindAllStringSubmatchIndex(s, -1) {
		from, unit := s[m[2]:m[3]], s[m[4]:m[5]]
		n, err := statute.ParseNumeral(from)
		if err != nil || n == 0 || strings.HasSuffix(s[:m[0]], "第") {
			continue
		}
		to := 2 * n // upwards, so that the lower end of a range changes downwards
		if m[6] >= 0 && s[m[6]:m[7]] == "以上" && n%2 == 0 {
			to = n / 2
		}
		word, err := statute.Numeral(to)
		if err != nil || strings.Contains(s, word+unit) || m[6] >= 0 && s[m[6]:m[7]] == "以上" && to > n && quantity.MatchString(s[m[1]:]) {
			continue // it would name another end of the range, or lie above it
		}
		out = append(out, change{m[2], from, word})
	}
	for _, w := range swaps {
		if at := strings.Index(s, w[0]); at >= 0 && strings.Count(s, w[0]) == 1 {
			out = append(out, change{at, w[0], w[1]})
		}
	}
	return out
}
