package statute

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// kinds are the words by which a law calls itself (本条例) or another (该条例),
// longest first.
var kinds = []string{"法典", "法", "暂行条例", "实施条例", "补充条例", "条例", "补充规定", "暂行规定", "若干规定", "特别规定", "实施规定", "规定",
	"实施办法", "暂行办法", "办法", "实施细则", "施行细则", "细则", "议事规则", "规则", "补充解释", "解释", "决定", "决议", "通知", "意见", "批复",
	"补充安排", "安排", "规范", "规程", "准则", "通则", "纲要", "章程", "公约", "条约", "协定", "议定书", "修正案", "标准", "方案", "制度"}

// notOwn are runes before 本 that make it a part of another word: 基本法, 根本法,
// 日本法, 成本规则.
const notOwn = "基根日资版样原课文剧书脚标副范读"

// costWords make 成本 one word: 成本规则, unlike 构成本法第五条规定之罪.
var costWords = []string{"规则", "规范", "标准", "制度", "方案"}

// ownForm reads what begins with 本: 本法第五条, 本条第二款, 本章, 本节第五条.
func (s *scanner) ownForm(i int) int {
	if i > 0 && strings.ContainsRune(notOwn, s.runeAt(i-1)) || s.runeAt(i-1) == '成' && s.anyOf(i+1, costWords) > i+1 {
		return i
	}
	if end := s.ownUnit(i); end > i {
		return end
	}
	end := s.anyOf(i+1, kinds)
	if end == i+1 {
		return i
	}
	kind := s.slice(i+1, end)
	ref := Reference{Form: FormInternal, Own: s.key != "" && !s.quotesOther(kind)}
	if !ref.Own {
		ref.Law = s.lastNamed(kind)
		ref.Carried = ref.Law != ""
	}
	after := s.follow(&ref, end)
	if after > end {
		return s.emit(ref, i, after)
	}
	if ref.Own { // 本条例除第五条以外: the number comes later
		s.refocus(ref)
	}
	s.done = end
	return end
}

// quotesOther reports whether 本法 is said by another law that the text quotes, as in
// 刑法修正案: 将刑法第二百条修改为：“…依照本法第一百九十二条…”.
func (s *scanner) quotesOther(kind string) bool {
	f := s.focus
	return (f.amends || len(s.saved) > 0) && f.set && !f.own && isKind(f.law, kind) && !isKind(s.ctx.Law, kind)
}

// ownUnit reads 本条, 本款, 本项, 本编, 本章, 本节 at i.
func (s *scanner) ownUnit(i int) int {
	unit, end := s.runeAt(i+1), i+2
	if s.has(i+1, "分编") {
		unit, end = '编', i+3
	}
	ref := Reference{Form: FormInternal, Own: s.key != ""}
	if !ref.Own {
		ref.Law, ref.Carried = s.focus.named, s.focus.named != ""
	}
	next := s.runeAt(end)
	switch unit {
	case '条', '款', '项':
		if unit == '条' && !s.articleWord(end) || unit == '款' && next == '项' || unit == '项' && next == '目' {
			return i
		}
		places, after := s.places(end)
		if unit != '条' && after == end {
			return end // 本款 says nothing that could be looked up
		}
		ref.Points = []Point{s.here(i, after, places, !ref.Own)}
		return s.emit(ref, i, after)
	case '编', '章', '节':
		if strings.ContainsRune("程目制写号", next) && next != 0 {
			return i
		}
		ref.Part = s.slice(i, end)
		points, after := s.points(end, false)
		if ref.Points = points; len(points) > 0 {
			s.focus.points = points
		}
		return s.emit(ref, i, max(end, after))
	}
	return i
}

// here is the article that 本条, 前款 or 第二款 from i to end is in: the text's own,
// or the one last named where the reference is to another text (elsewhere).
func (s *scanner) here(i, end int, places []Place, elsewhere bool) Point {
	p := Point{Start: s.at[i], End: s.at[end], Number: s.ctx.Number, Sub: s.ctx.Sub, Places: places}
	if last := len(s.focus.points) - 1; elsewhere && last >= 0 && !s.focus.points[last].Range() {
		p.Number, p.Sub = s.focus.points[last].Number, s.focus.points[last].Sub
	}
	return p
}

// notPrevious are runes before 前 that make it a part of another word: 目前, 提前.
const notPrevious = "目此当以之提先事空眼从日生婚产赛会年月天期期条"

// previous reads 前条, 前款, 前两条, 前三款, 前项 at i.
func (s *scanner) previous(i int) int {
	if i > 0 && strings.ContainsRune(notPrevious, s.runeAt(i-1)) {
		return i
	}
	back, j := 1, i+1
	if n, end, ok := s.numeral(j); ok && end > j && n < 20 {
		back, j = n, end
	} else if r := s.runeAt(j); r == '几' || r == '数' || r == '述' {
		back, j = 0, j+1
	}
	unit, end := s.runeAt(j), j+1
	switch {
	case unit == '条' && s.articleWord(end), unit == '款' && s.runeAt(end) != '项', unit == '项' && s.runeAt(end) != '目':
	default:
		return i
	}
	ref := Reference{Form: FormPrevious, Own: s.key != "", Back: back, Unit: string(unit)}
	if !ref.Own {
		ref.Law, ref.Carried = s.focus.named, s.focus.named != ""
	}
	places, after := s.places(end)
	if unit != '条' {
		ref.Points = []Point{s.here(i, after, places, !ref.Own)}
	} else if len(places) > 0 {
		ref.Points = []Point{{Start: s.at[i], End: s.at[after], Places: places}}
	}
	return s.emit(ref, i, after)
}

// sameForm reads 该法第五条, 同法第五条, 该条, 各该条, 上述条款 at i.
func (s *scanner) sameForm(i int) int {
	if s.runes[i] == '同' && (s.runeAt(i-1) == '合' || s.runeAt(i-1) == '共') {
		return i
	}
	ref := Reference{Form: FormPrevious, Law: s.focus.law, Own: s.focus.own || s.key != "" && !s.focus.set, Carried: true}
	j := i + 1
	if s.runes[i] == '上' {
		if j = s.anyOf(j, []string{"述"}); j == i+1 {
			return i
		}
	}
	if end := s.anyOf(j, []string{"条", "各条", "条款", "法条"}); end > j && (s.runeAt(end-1) == '款' || s.articleWord(end)) {
		if end = max(end, s.anyOf(j, []string{"条款"})); s.has(end, "项") || len(s.focus.points) == 0 {
			return i
		}
		places, after := s.places(end)
		for _, p := range s.focus.points {
			p.Start, p.End = s.at[i], s.at[after]
			if len(places) > 0 {
				p.Places = places
			}
			ref.Points = append(ref.Points, p)
		}
		return s.emit(ref, i, after)
	}
	end := s.anyOf(j, kinds)
	if end == j || s.runes[i] == '上' {
		return i
	}
	ref.Form, ref.Law = FormInternal, s.lastNamed(s.slice(j, end))
	ref.Carried = ref.Law != ""
	ref.Own = !ref.Carried && isKind(s.ctx.Law, s.slice(j, end))
	if after := s.follow(&ref, end); after > end {
		return s.emit(ref, i, after)
	}
	return i
}

// lastNamed returns the law last named when it is of that kind: 该公约 is not 刑法.
func (s *scanner) lastNamed(kind string) string {
	if isKind(s.focus.named, kind) {
		return s.focus.named
	}
	return ""
}

// isKind reports whether a law's name ends in kind: 法, 条例, 规定.
func isKind(name, kind string) bool {
	name = strings.TrimSuffix(ordinalEnd.ReplaceAllString(ShortTitle(name), ""), "典")
	if kind = strings.TrimSuffix(kind, "典"); kind == "法" && strings.HasSuffix(name, "办法") {
		return false
	}
	return strings.HasSuffix(name, kind)
}

// privateTexts are documents whose 第N条 is no law's.
var privateTexts = []string{"合同", "协议", "协议书", "契约", "章程", "保单", "判决书", "合同书", "公约书", "遗嘱", "约定", "规章制度", "员工手册", "说明书", "条款", "须知"}

// bareKinds are the kinds of text whose name a reader can tell by its form.
var bareKinds = regexp.MustCompile(`(?:法典|法|条例|规定|办法|细则|规则|解释|公约|条约|协定|议定书|决定|通则|意见|安排|批复|修正案)(?:[（(][一二三四五六七八九十0-9]{1,3}[）)])?$`)

// number reads 第N条, or 第N款 of the article the text is in, where no known name
// stands before it.
func (s *scanner) number(i int) int {
	if s.runes[i] != '第' && isNumeralRune(s.runeAt(i-1)) {
		return i // within a number
	}
	points, end := s.points(i, true)
	if len(points) == 0 {
		return s.placeAlone(i)
	}
	start, name := s.unknownName(i)
	switch {
	case name == "" && s.runes[i] != '第': // 82条 needs a name before it
		return i
	case name == "" && (s.endsWith(i, privateTexts) || s.quotedHead(i, end)):
		return end
	case name != "":
		ref := Reference{Form: FormBare, Law: s.meaning(name), Edition: s.editionBefore(start), Points: points}
		s.focus.points = points
		return s.emit(ref, start, end)
	}
	ref := Reference{Form: FormNumber, Points: points}
	if s.endsWith(i, []string{"附录", "附件", "附表"}) {
		ref.Part = s.slice(i-2, i)
	}
	ref.Law, ref.Own, ref.Carried = s.owner(points[0].Number)
	s.focus.points = points
	return s.emit(ref, i, end)
}

// quotedHead reports whether the label from i to end is the head of an article that
// a law quotes, as amendments do: “第一百二十条之二 有下列情形….
func (s *scanner) quotedHead(i, end int) bool {
	before, after := s.runeAt(i-1), s.runeAt(end)
	return s.key != "" && (before == '“' || before == '\n') && (after == ' ' || after == '　')
}

// unknownName finds a law's name that ends right before the number at i and that
// Names does not know: 香港植物品种条例第五条. A kind alone (条例第五条) is a name
// only where the text defined it, or for 公约 and the like.
func (s *scanner) unknownName(i int) (start int, name string) {
	end := i
	for end > 0 && s.runeAt(end-1) == ' ' {
		end--
	}
	head := max(s.done, end-maxNameWalk)
	if head >= end {
		return i, ""
	}
	m := bareKinds.FindStringIndex(s.slice(head, end))
	if m == nil {
		return i, ""
	}
	kind := head + utf8.RuneCountInString(s.slice(head, end)[:m[0]])
	if s.endsWith(kind, []string{"实施", "施行"}) && kind-2 >= head {
		kind -= 2 // 实施条例 is one word
	}
	alone := s.slice(kind, end)
	if s.beginsName(kind) && s.anyOf(kind, []string{"规定", "决定", "意见", "安排"}) > kind {
		return i, "" // 的规定第五条 names nothing
	}
	start = s.nameStart(kind - 1)
	for start < kind && !isHan(s.runeAt(start)) {
		start++
	}
	name = s.slice(start, end)
	switch {
	case s.beginsName(kind) || start >= kind:
		if _, defined := s.ctx.Aliases[alone]; !defined && (alone == "法" || isKind(s.ctx.Law, alone)) {
			return i, ""
		}
		return kind, alone // 条例第五条 in 实施细则: whoever reads it must know which
	case utf8.RuneCountInString(name) < 3:
		return i, ""
	}
	return start, name
}

// placeAlone reads 第二款 or 第（三）项 without an article, which is of the article
// the text is in.
func (s *scanner) placeAlone(i int) int {
	if s.runeAt(i) != '第' || s.key == "" && len(s.focus.points) == 0 {
		return i
	}
	places, end := s.places(i)
	if len(places) == 0 || places[0].Paragraph == 0 && !s.isOpenBracket(i+1) {
		return i
	}
	ref := Reference{Form: FormNumber}
	ref.Law, ref.Own, ref.Carried = s.owner(0)
	ref.Points = []Point{s.here(i, end, places, ref.Carried)}
	return s.emit(ref, i, end)
}
