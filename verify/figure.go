package verify

import (
	"regexp"
	"strconv"
	"strings"

	"lexagent/statute"
)

// figure is an amount in a text: of money, of time, of age, a share or a multiple.
type figure struct {
	from, to int    // in bytes
	key      string // the amount in one spelling: 30日, 50000元, 1/3
}

// unit is a word that makes a number a figure.
type unit struct {
	written, means string
	times          int64 // how many of what it means
}

// units, the longest first. Years are counted in months, since a law says 一年 where
// an answer says 十二个月.
var units = []unit{
	{"个工作日", "工作日", 1}, {"工作日", "工作日", 1}, {"个自然月", "个月", 1}, {"个月", "个月", 1}, {"个小时", "小时", 1}, {"小时", "小时", 1}, {"分钟", "分钟", 1},
	{"个星期", "日", 7}, {"星期", "日", 7}, {"个季度", "个月", 3}, {"周岁", "岁", 1}, {"周年", "个月", 12}, {"周", "日", 7}, {"岁", "岁", 1},
	{"人民币", "元", 1}, {"美元", "美元", 1}, {"港元", "港元", 1}, {"欧元", "欧元", 1}, {"日元", "日元", 1}, {"块钱", "元", 1}, {"元", "元", 1},
	{"年", "个月", 12}, {"天", "日", 1}, {"日", "日", 1}, {"倍", "倍", 1}, {"%", "%", 1}, {"％", "%", 1}, {"‰", "‰", 1}, {"‱", "‱", 1},
}

// notUnits are words that begin like a unit and are none.
var notUnits = []string{"年级", "年代", "年度", "元化", "元旦", "日游", "天然", "日报", "年轻", "年龄", "周边", "倍增", "元论"}

// calendar finds days and years of the calendar, which are no amounts: 2021年1月1日,
// 3月1日, 二〇二一年, 2021-01-01.
var calendar = regexp.MustCompile(`(?:[12][0-9]{3}|[一二][〇○零一二三四五六七八九]{3})\s*年(?:\s*(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})\s*月)?(?:\s*(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})\s*[日号])?` +
	`|(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})\s*月\s*(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})\s*[日号]|[12][0-9]{3}[-/.][0-9]{1,2}[-/.][0-9]{1,2}`)

// figuresIn finds the figures of a text, in order. Numbers in titles and in dates are
// none, nor are ordinals (第三十日). The cost is linear in the text.
func figuresIn(text string) []figure {
	dates := calendar.FindAllStringIndex(text, -1)
	runes, offsets := make([]rune, 0, len(text)/2), make([]int, 0, len(text)/2+1)
	for i, r := range text {
		runes, offsets = append(runes, r), append(offsets, i)
	}
	offsets = append(offsets, len(text))
	var out []figure
	for i := 0; i < len(runes); {
		for len(dates) > 0 && dates[0][1] <= offsets[i] {
			dates = dates[1:]
		}
		if len(dates) > 0 && dates[0][0] <= offsets[i] {
			i++
			continue
		}
		keys, end := figureAt(runes, i)
		for _, k := range keys {
			out = append(out, figure{offsets[i], offsets[end], k})
		}
		i = max(i+1, end)
	}
	return out
}

// figureAt reads what begins at i: one figure, or the two ends of a range that share
// a unit (三至五年).
func figureAt(runes []rune, i int) (keys []string, end int) {
	if share, value, end := shareOf(runes, i); end > i {
		return []string{shareKey(value, string(share))}, end
	}
	if at(runes, i) == '半' {
		return halfAt(runes, i)
	}
	if !isNumeral(at(runes, i)) {
		return nil, i
	}
	value, end := number(runes, i)
	if end == i || at(runes, i-1) == '第' {
		for end < len(runes) && isNumeral(runes[end]) {
			end++
		}
		return nil, end
	}
	if at(runes, end) == '分' && at(runes, end+1) == '之' { // 三分之二
		if over, after := number(runes, end+2); after > end+2 {
			return []string{amount(over) + "/" + amount(value)}, after
		}
	}
	if r := at(runes, end); (r == '/' || r == '／') && isArabic(at(runes, end+1)) { // 1/3
		if under, after := number(runes, end+1); under <= maxUnder*one && at(runes, after) != '/' {
			return []string{amount(value) + "/" + amount(under)}, after
		}
	}
	if u, after := unitAt(runes, end); after > end {
		if u.written == "年" && at(runes, after) == '半' { // 一年半
			return []string{amount(value*12+6*one) + u.means}, after + 1
		}
		return []string{u.key(value)}, after
	}
	next := rangeMark(runes, end)
	if next == end {
		return nil, end
	}
	upper, after := number(runes, next)
	if u, last := unitAt(runes, after); after > next && last > after {
		for _, myriad := range []int64{100_000_000, 10_000} { // 3至5万元 begins with 30,000
			if upper >= myriad*one && value < 1000*one && value*myriad < upper {
				value *= myriad
				break
			}
		}
		return []string{u.key(value), u.key(upper)}, last
	}
	return nil, end
}

// maxUnder bounds what stands under the stroke of a fraction; more is a file number.
const maxUnder = 100

// key is an amount of a unit in one spelling.
func (u unit) key(value int64) string {
	if u.means == "%" || u.means == "‰" || u.means == "‱" {
		return shareKey(value, u.means)
	}
	return amount(value*u.times) + u.means
}

// shareKey is a share in one spelling: 千分之五 and 0.5% are one. Values too fine for
// thousandths of a percent keep their sign.
func shareKey(value int64, sign string) string {
	switch {
	case sign == "‰" && value%10 == 0:
		return amount(value/10) + "%"
	case sign == "‱" && value%100 == 0:
		return amount(value/100) + "%"
	}
	return amount(value) + sign
}

// halfAt reads 半年 and 半个月.
func halfAt(runes []rune, i int) (keys []string, end int) {
	if r := at(runes, i-1); r == '一' || r == '上' || r == '下' || r == '前' || r == '后' || r == '大' {
		return nil, i
	}
	switch {
	case at(runes, i+1) == '年':
		return []string{"6个月"}, i + 2
	case at(runes, i+1) == '个' && at(runes, i+2) == '月':
		return []string{"15日"}, i + 3
	}
	return nil, i
}

// unitAt reads a unit at i; one blank may stand before it.
func unitAt(runes []rune, i int) (unit, int) {
	j := i
	for r := at(runes, j); (r == ' ' || r == '余' || r == '多') && j < i+2; r = at(runes, j) {
		j++
	}
	rest := string(runes[min(j, len(runes)):min(len(runes), j+4)])
	for _, w := range notUnits {
		if strings.HasPrefix(rest, w) {
			return unit{}, i
		}
	}
	for _, u := range units {
		if strings.HasPrefix(rest, u.written) {
			return u, j + len([]rune(u.written))
		}
	}
	return unit{}, i
}

// rangeMark passes over what parts the two ends of a range.
func rangeMark(runes []rune, i int) int {
	switch at(runes, i) {
	case '至', '到', '-', '—', '–', '~', '～', '－':
		return i + 1
	}
	return i
}

// amount prints thousandths: 1500 is 1.5.
func amount(value int64) string {
	return strconv.FormatFloat(float64(value)/one, 'f', -1, 64)
}

// titles finds what stands in title brackets.
var titles = regexp.MustCompile(`《[^《》\n]{1,150}》`)

// figures looks for each figure of the text in the evidence, or else in the articles
// that the text cites, and in the question.
func (r *run) figures() error {
	known := map[string]bool{}
	sources := 0
	learn := func(text string) {
		for _, f := range figuresIn(text) {
			known[f.key] = true
		}
	}
	for _, e := range r.Evidence {
		sources++
		learn(e.Text)
	}
	for _, u := range r.cited() {
		sources++
		learn(u.Text)
	}
	learn(r.Question)
	skip := make([]line, 0, len(r.mentions))
	for i := range r.mentions {
		skip = append(skip, line{r.mentions[i].Start, r.mentions[i].End})
	}
	named := titles.FindAllStringIndex(r.Text, -1)
	for _, f := range figuresIn(r.Text) {
		for len(named) > 0 && named[0][1] <= f.from {
			named = named[1:]
		}
		if overlaps(skip, f.from, f.to) || len(named) > 0 && named[0][0] <= f.from {
			continue
		}
		out := Finding{Kind: Figure}
		switch {
		case known[f.key]:
			out.Verdict = FigureFound
		case sources == 0:
			out.Verdict, out.Note = NotChecked, r.say("没有可供核对的条文", "there is no article to look in")
		default:
			out.Verdict, out.Note = FigureNotFound, r.say("所引条文和问题中没有这个数字", "neither the articles cited nor the question have this figure")
		}
		r.add(out, f.from, f.to)
	}
	return nil
}

// cited returns the articles that the text cites where it was given no evidence, and
// those that quotations were found in, each once.
func (r *run) cited() []*statute.Unit {
	if r.evidence.given {
		return nil
	}
	var out []*statute.Unit
	seen := map[string]bool{}
	for i := range r.mentions {
		if u := r.mentions[i].Unit; u != nil && !seen[u.ID] {
			seen[u.ID] = true
			out = append(out, u)
		}
	}
	return out
}
