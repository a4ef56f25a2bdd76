package statute

import (
	"regexp"
	"strings"
)

// Repeal is one text that a clause says has ended: 《中华人民共和国婚姻法》、…同时废止.
type Repeal struct {
	Start, End int    // bytes of the title in the text, its brackets included
	Law        string // title as printed, without brackets
	Issuer     string // body named right before it: 最高人民法院《关于…》
	Dated      Date   // the last day on which that text was made, as the clause tells: 1950年6月29日颁布的; 0 = it does not
	Day        Date   // the day on which it ends, where the clause names one; 0 = when the law with the clause takes effect
	Clause     string // the sentence, its beginning where it is very long
}

const (
	maxClause  = 1 << 15 // bytes of a sentence that is read
	maxPrinted = 3000    // bytes of a sentence that is kept
)

// FindRepeals finds the texts that a unit of a law repeals, in the order printed.
// Repeal of a part (中关于…的规定同时废止), titles within titles, and texts that
// only stop being carried out (停止执行) are none.
func FindRepeals(text string) []Repeal {
	if !strings.Contains(text, "废止") && !strings.Contains(text, "失效") && !strings.Contains(text, "不再") {
		return nil
	}
	var out []Repeal
	listed := "" // the sentence that announces a list: 下列…予以废止：
	for _, s := range sentences(text) {
		if s[1]-s[0] > maxClause {
			continue
		}
		c := clause{at: s[0], s: text[s[0]:s[1]]}
		c.titles = topTitles(c.s)
		switch {
		case announces.MatchString(c.s):
			listed = c.s
			if rest := announces.FindStringIndex(c.s); len(c.titles) > 0 && c.titles[0][0] >= rest[1] {
				out = append(out, c.forward(0)...)
			}
		case listed != "" && trigger.FindStringIndex(c.s) == nil && strings.TrimSpace(c.s) != "":
			if item, ok := c.item(listed); ok {
				out = append(out, item)
			} else {
				listed = ""
			}
		default:
			out = append(out, c.repeals()...)
		}
	}
	for i := range out {
		if s := out[i].Clause; len(s) > maxPrinted {
			out[i].Clause = strings.ToValidUTF8(s[:maxPrinted], "") + "…"
		}
	}
	return out
}

// clause is a sentence that may repeal something.
type clause struct {
	at     int // byte of the text where it begins
	s      string
	titles [][2]int // bytes in s, brackets included
}

var (
	trigger   = regexp.MustCompile(`(?:同时|即行|予以|一并|随之|相应|均|即|亦|也)*(?:废止|失效|作废)|不再执行|不再适用`)
	verbFirst = regexp.MustCompile(`^\s*(?:(?:[一二三四五六七八九十百]+|\d+)[、.．]|[（(](?:[一二三四五六七八九十]+|\d+)[）)])?\s*(?:[^《》，。]{0,30}决定[，：:]?)?(?:同时)?废止\s*《`)
	announces = regexp.MustCompile(`(?:废止(?:下列|以下)[^《》，。]*|(?:下列|以下)[^《》。]*(?:废止|失效)[^《》。]*)[：:]`)
	// upTo is what may stand between the last title and 废止.
	upTo    = regexp.MustCompile(`^[、，,\s”"]*(?:等[^，。《》]{0,12})?[，,]?(?:从|自)?[^，。《》]{0,20}?(?:起|之日|后)?[，,]?$`)
	joins   = regexp.MustCompile(`^[”"\s]*(?:[、，,；和及与并]|以及|或者|$)`)
	partial = regexp.MustCompile(`^[”"\s]*(?:中|里|内|第|的|所|规定|有关|关于|相关|办理|领取)`)
	fromDay = regexp.MustCompile(`(?:自|从|于)[^，。《》]{0,40}?起(?:施行|实施|执行|生效|实行)?|[^，。]{0,12}施行后`)
	cites   = regexp.MustCompile(`(?:根据|依照|按照|依据|执行|违反|适用)$`)
	itemNo  = regexp.MustCompile(`^\s*(?:[（(]?(?:[一二三四五六七八九十百]+|\d+)[）)、.．]?)\s*`)
)

// repeals finds what the sentence repeals.
func (c *clause) repeals() []Repeal {
	if at := verbFirst.FindStringIndex(c.s); at != nil {
		for i, t := range c.titles {
			if t[0] >= at[1]-len("《") {
				return c.forward(i)
			}
		}
	}
	var out []Repeal
	from := 0
	for _, m := range trigger.FindAllStringIndex(c.s, -1) {
		if c.inTitle(m[0]) || !c.stops(m[1]) {
			continue
		}
		out = append(out, c.backward(from, m)...)
		from = m[1]
	}
	return out
}

// stops reports whether the clause ends at i, so that 废止 is its verb: not
// 废止程序, 失效的.
func (c *clause) stops(i int) bool {
	rest := strings.TrimSpace(c.s[i:])
	return rest == "" || strings.IndexAny(rest, "，,、；;。）)”") == 0
}

func (c *clause) inTitle(i int) bool {
	for _, t := range c.titles {
		if i > t[0] && i < t[1] {
			return true
		}
	}
	return false
}

// backward collects the list of titles that ends at the trigger m.
func (c *clause) backward(from int, m []int) []Repeal {
	last := -1
	for i, t := range c.titles {
		if t[0] >= from && t[1] <= m[0] {
			last = i
		}
	}
	if last < 0 {
		return c.bare(from, m)
	}
	tail := c.gap(c.titles[last][1], m[0])
	word := c.s[m[0]:m[1]]
	if partial.MatchString(tail) || !upTo.MatchString(tail) || strings.Contains(tail, "自行") ||
		word == "失效" && !strings.Contains(tail, "起") {
		return nil
	}
	first := last
	for first > 0 && c.titles[first-1][0] >= from {
		gap := c.gap(c.titles[first-1][1], c.titles[first][0])
		if !joins.MatchString(gap) || partial.MatchString(gap) || c.cited(first-1) {
			break
		}
		first--
	}
	var out []Repeal
	for i := first; i <= last; i++ {
		if r, ok := c.repeal(i); ok {
			r.Day = namedDay(tail)
			out = append(out, r)
		}
	}
	return out
}

// cited reports whether the text before the i-th title makes it the ground of
// something, not a thing that ends: 根据《…》，….
func (c *clause) cited(i int) bool {
	at := c.titles[i][0]
	return cites.MatchString(c.s[max(0, at-3*len("根据")):at])
}

// forward collects the list of titles that begins with the i-th: 废止《…》、《…》.
func (c *clause) forward(i int) []Repeal {
	var out []Repeal
	for ; i < len(c.titles); i++ {
		end := len(c.s)
		if i+1 < len(c.titles) {
			end = c.titles[i+1][0]
		}
		gap := c.gap(c.titles[i][1], end)
		if partial.MatchString(gap) {
			break
		}
		if r, ok := c.repeal(i); ok {
			out = append(out, r)
		}
		if !joins.MatchString(gap) {
			break
		}
	}
	return out
}

// loose are words that tell that a name without brackets is no title.
var loose = regexp.MustCompile(`该|过去|以前|以往|此前|之前|其他|其它|有关|凡|抵触|不一致|相关|各项|本[法条规办解决细]|前款|上述|许可|证书|合同|股票|支付令|登记`)

// bare reads a title without brackets right before the trigger: 国务院1987年发布的
// 某某条例同时废止.
func (c *clause) bare(from int, m []int) []Repeal {
	word := c.s[m[0]:m[1]]
	if word != "同时废止" && word != "即行废止" {
		return nil
	}
	before := c.s[from:m[0]]
	if i := strings.LastIndexAny(before, "，,、；。：:"); i >= 0 {
		before = strings.TrimLeftFunc(before[i:], func(r rune) bool { return !isHan(r) })
	}
	name := before
	if i := strings.LastIndex(name, "的"); i >= 0 {
		name = name[i+len("的"):]
	}
	name = strings.TrimSpace(strings.Trim(name, "“”\""))
	if n := len([]rune(name)); n < 4 || n > 40 || loose.MatchString(before) || !endsLikeLaw(ShortTitle(name)) || strings.ContainsAny(name, "，。《》") {
		return nil
	}
	at := c.at + m[0] - len(before) + strings.LastIndex(before, name)
	return []Repeal{{Start: at, End: at + len(name), Law: name, Dated: lastDay(strings.TrimSuffix(before, name)), Clause: strings.TrimSpace(c.s)}}
}

// item reads a line of a list that a sentence announced: 1．关于惩治走私罪的补充规定.
func (c *clause) item(announced string) (Repeal, bool) {
	if len(c.titles) > 0 {
		r, ok := c.repeal(0)
		r.Clause = strings.TrimSpace(announced) + strings.TrimSpace(c.s)
		return r, ok
	}
	no := itemNo.FindString(c.s)
	name := strings.TrimRight(strings.TrimSpace(c.s[len(no):]), "；;，,。")
	if no == "" || !endsLikeLaw(ShortTitle(name)) || strings.ContainsAny(name, "，。；") {
		return Repeal{}, false
	}
	at := c.at + strings.Index(c.s, name)
	return Repeal{Start: at, End: at + len(name), Law: name, Issuer: issuerIn(announced), Clause: strings.TrimSpace(announced) + strings.TrimSpace(c.s)}, true
}

// repeal makes the i-th title a repealed text, when it is a legal text at all.
func (c *clause) repeal(i int) (Repeal, bool) {
	t := c.titles[i]
	name := strings.TrimSpace(c.s[t[0]+len("《") : t[1]-len("》")])
	short := ShortTitle(name)
	if !endsLikeLaw(short) && !strings.Contains(short, "关于") && !strings.HasSuffix(short, "（草案）") {
		return Repeal{}, false
	}
	from := 0
	for j := i - 1; j >= 0 && from == 0; j-- { // 根据《…的决定》修正的《…》 is one member
		if gap := c.gap(c.titles[j][1], c.titles[j+1][0]); joins.MatchString(gap) {
			from = c.titles[j+1][0] - len(gap)
		}
	}
	before := fromDay.ReplaceAllString(c.s[from:t[0]], "")
	dated := max(lastDay(before), lastDay(leadingNotes(c.s[t[1]:])))
	return Repeal{Start: c.at + t[0], End: c.at + t[1], Law: name, Issuer: issuerIn(before), Dated: dated, Clause: strings.TrimSpace(c.s)}, true
}

// gap is the text between two places without the notes in brackets it begins with.
func (c *clause) gap(from, to int) string {
	if from > to {
		return ""
	}
	s := c.s[from:to]
	return s[len(leadingNotes(s)):]
}
