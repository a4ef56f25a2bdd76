package statute

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefinedTerms returns the words and phrases to which a text gives a meaning of its
// own, each once, in the order of the text:
//
//	本法所称恶势力组织，是指…        恶势力组织
//	（二）扩建：指在原有建筑物…      扩建
//	食品小摊点（以下称小摊点）        小摊点
//	买卖合同是出卖人转移…的合同。     买卖合同
//	……因而构成犯罪的，是故意犯罪。   故意犯罪
//
// Words of counting, which many laws explain (以上、以内，包括本数), are none, and
// neither are short names of laws.
func DefinedTerms(text string) []string {
	type placed struct {
		at   int
		name string
	}
	var found []placed
	for _, f := range termForms {
		if !f.in(text) {
			continue
		}
		for _, m := range f.pattern.FindAllStringSubmatchIndex(text, -1) {
			for _, name := range f.names(text[m[2]:m[3]]) {
				found = append(found, placed{m[2], name})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b placed) int { return a.at - b.at })
	var names []string
	for _, f := range found {
		if isTerm(f.name) && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// termForm is a way in which texts define. Group 1 of its pattern holds the name,
// or several.
type termForm struct {
	pattern *regexp.Regexp
	words   string         // one of which the text must hold: a pattern takes long to find nothing
	above   *regexp.Regexp // a line that the text must hold; nil = none
	names   func(string) []string
}

func (f *termForm) in(text string) bool {
	for word := range strings.FieldsSeq(f.words) {
		if strings.Contains(text, word) {
			return f.above == nil || f.above.MatchString(text)
		}
	}
	return false
}

const (
	termHead  = `(?:^|[。；;\n])[ 　]*(?:[（(][一二三四五六七八九十百0-9０-９]+[)）]|[一二三四五六七八九十]+、|[0-9０-９]+(?:[.．][0-9]+)*[.．、]?)?[ 　]*`
	termName  = `([^，,。；;：:\n]{1,40}?)`
	termComma = `[，,：:]?[ 　]*`
	termDash  = `(?:——|──|—)`
	termMeans = `(?:` + termComma + `(?:均|都|系|就)?(?:是指|系指)|(?:[，,：:]|` + termDash + `)[ 　]*均?指(?:[^导定挥派示明使出令引标控责]|$)|[”"]指)`
)

var termForms = []termForm{
	{
		words:   "所称 所指 所说",
		pattern: regexp.MustCompile(`所(?:称|指|说)的?` + termName + `(?:` + termMeans + `|` + termComma + `(?:包括|即)|[，,”"](?:为|是))`), names: defined,
	},
	{
		words:   "是指 系指 均指 ，指 ,指 ：指 :指 —指 ─指 ”指 \"指",
		pattern: regexp.MustCompile(termHead + termName + termMeans), names: defined,
	},
	{
		words: "含义 定义 解释 释义", above: regexp.MustCompile(`(?:用语|术语|名词|概念|词语).{0,12}(?:含义|定义|解释|释义)`),
		pattern: regexp.MustCompile(termHead + termName + `(?:[：:]|` + termDash + `)`), names: defined,
	},
	{
		words: "是",
		pattern: regexp.MustCompile(`^([^，,。；;：:\n的是]{2,14})是[^。；\n]{4,}的[^，。；\n的]{0,4}(?:合同|协议|行为|活动|组织|机构|机关|法人|企业|公司|人|人员|单位|` +
			`证券|制度|费用|措施|文件|凭证|票据)。`), names: defined,
	},
	{
		words:   "的，是",
		pattern: regexp.MustCompile(`的，是([^，,。；;：:\n的]{2,10})。`), names: defined,
	},
	{
		words:   "下简称 下统称 下合称 下并称 下总称 下称 下分别",
		pattern: regexp.MustCompile(`[^》][（(，,](?:以下|下)(?:分别)?(?:简称|统称|合称|并称|总称|称)(?:为)?[：:]?([^（）()，,。；;\n]{2,40})`),
		names:   shortNames,
	},
}

var (
	termQuoted  = regexp.MustCompile(`[“‘"「]([^”’"」]+)[”’"」]`)
	termBracket = regexp.MustCompile(`[（(][^（）()]*[)）]`)
	// What may stand before a name and is no part of it: 本条第一款规定的, 专利法第六条所称的.
	termLead = regexp.MustCompile(`^(?:其中|这里|此处|上述|以上|前款|前条|(?:本|该)(?:法|条例|规定|办法|细则|规则|解释|条|款|章|节)|.*(?:规定|所列|所称|所指|所说|中|称)的|.*所称|.*第[一二三四五六七八九十百]+[条款项](?:规定)?(?:的|中)?)+的?`)
)

// defined reads the names in front of a definition: those in quotation marks, or
// what stands between 、. A phrase with 的 is one: 判决、裁定的主文.
func defined(s string) []string {
	if quoted := termQuoted.FindAllStringSubmatch(s, -1); quoted != nil {
		names := make([]string, len(quoted))
		for i, q := range quoted {
			names[i] = q[1]
		}
		return names
	}
	s = termBracket.ReplaceAllString(s, "")
	s = strings.Trim(s[len(termLead.FindString(s)):], `“”‘’"「」`)
	if strings.Contains(s, "的") {
		return []string{s}
	}
	return strings.Split(s, "、")
}

// shortNames reads the names after 以下简称.
func shortNames(s string) []string {
	names := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(`、“”‘’"「」《》 `, r) })
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(kinds, n) })
}

const minTerm, maxTerm = 2, 20 // characters of a name

var (
	noTerms = strings.Fields("以上 以下 以内 以外 以前 以后 之内 之前 之后 届满 不满 超过 低于 高于 不足 不超过 至少 之日 本数 情形 情况 条件 事项 行为 规定 其他")
	// Words that sentences have and names don't.
	sentence = regexp.MustCompile(`应当|不得|可以|必须|或者不|不包括|用语|含义|[，,。；;！？?]` +
		`|^(?:否|[一二三四五六七八九十]+[日天个]|有|在|对|由|按|依照|根据|经|未|不|因|如|但|并|及|和|或|与|是|为|将|把|该|各|下列|这些|上述|前)` +
		`|(?:不|一般|均|皆|主要|还|也|既|只|仅|的)$`)
)

func isTerm(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= minTerm && n <= maxTerm && !slices.Contains(noTerms, s) && !sentence.MatchString(s) &&
		strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
