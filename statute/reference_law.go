package statute

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxTitleRunes = 150 // between 《 and 》
	maxNameWalk   = 24  // runes of a name that is told by its form only
)

// cited reads 《title》 with what follows at i.
func (s *scanner) cited(i int) int {
	close := s.titleEnd(i)
	if close == i {
		return i
	}
	inner := s.slice(i+1, close-1)
	if name, at := s.articleInTitle(i+1, close-1); at > 0 { // 《民法典第1077条》
		points, end := s.points(at, true)
		if s.skipSpace(end) >= close-1 {
			return s.emit(Reference{Form: FormCited, Law: s.meaning(name), Points: points}, i, close)
		}
	}
	ref := Reference{Form: FormCited, Law: s.meaning(strings.TrimSpace(inner)), Edition: s.editionBefore(i)}
	end := s.follow(&ref, close)
	if end == close && !endsLikeLaw(ShortTitle(inner)) && !s.known(inner) {
		return close // 《红楼梦》
	}
	if len(ref.Points) == 0 && s.endsWith(i, []string{"修改", "对", "决定对"}) && (s.runeAt(end) == '\n' || s.anyOf(end, []string{"作如下修改", "作出如下修改"}) > end) {
		s.focus = focus{law: ref.Law, set: true, named: ref.Law}
		end = s.emit(ref, i, end)
		s.focus.amends = true
		return end
	}
	return s.emit(ref, i, end)
}

// titleEnd returns the place behind the 》 that closes the 《 at i, i when none
// does. Titles nest: 《…〈…〉…》 and 《…《…》…》. When a bracket is missing, the
// first 》 closes.
func (s *scanner) titleEnd(i int) int {
	depth, first := 0, i
	for j := i; j < len(s.runes) && j < i+maxTitleRunes && s.runes[j] != '\n'; j++ {
		switch s.runes[j] {
		case '《':
			depth++
		case '》':
			if first == i {
				first = j + 1
			}
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return first
}

// articleInTitle finds where 第N条 begins inside title brackets, with the name
// before it; 0 when there is none.
func (s *scanner) articleInTitle(i, end int) (name string, at int) {
	for j := i + 1; j < end; j++ {
		if s.runes[j] != '第' {
			continue
		}
		name := strings.TrimSpace(s.slice(i, j))
		if _, _, ok := s.article(j, false); ok && endsLikeLaw(ShortTitle(name)) {
			return name, j
		}
	}
	return "", 0
}

// known reports whether name as a whole is a known law name.
func (s *scanner) known(name string) bool {
	return s.ctx.Names != nil && len(name) > 0 && s.ctx.Names.MatchName(name) == len(name)
}

// meaning replaces a name that the text defined (以下简称) by the full one.
func (s *scanner) meaning(name string) string {
	if full, ok := s.ctx.Aliases[name]; ok {
		return full
	}
	return name
}

// bare reads a known law name without brackets at i, with what follows.
func (s *scanner) bare(i int) int {
	if !isHan(s.runes[i]) {
		return i
	}
	end := s.nameAt(i)
	if end == i {
		return i
	}
	if id, after, ok := s.unbracketedID(i, end); ok {
		return s.emit(Reference{Form: FormID, Law: id.Law, ID: id, Points: idPoints(id, s.at[i], s.at[after])}, i, after)
	}
	end = s.longerName(end)
	start := s.longerHead(i, end)
	ref := Reference{Form: FormBare, Law: s.meaning(s.slice(start, end)), Edition: s.editionBefore(start)}
	if strings.Contains(ref.Law, "《") {
		ref.Form = FormCited // 最高人民法院《…》
	}
	after := s.follow(&ref, end)
	if after == end && (!s.beginsName(start) || !s.endsName(end)) {
		return end // 公司法人
	}
	return s.emit(ref, start, after)
}

// qualifiers are words that make a known name behind them another law's: 德国民法典,
// 执业医师法. Other words before a name are the sentence's: 认定民法典第五百八十四条.
var qualifiers = strings.Fields(`执业 劳动 经济 技术 涉外 国际 中外 香港 澳门 台湾 台湾地区 德国 日本 美国 法国 英国 瑞士 意大利 韩国
	俄罗斯 苏联 欧盟 欧洲 外国 联邦 军事 特别行政区`)

// longerHead returns where the name from i to end begins when words before it
// belong to it.
func (s *scanner) longerHead(i, end int) int {
	if i == s.done {
		return i
	}
	place := strings.ContainsRune("省市县州", s.runeAt(i-1)) && i > 0 && s.runeAt(i-2) != '本' && s.runeAt(end-1) != '法'
	if place || s.endsWith(i, qualifiers) {
		return s.nameStart(i - 1)
	}
	return i
}

// nameAt returns the end of the longest known name at i: one of Names or one the
// text defined.
func (s *scanner) nameAt(i int) int {
	n := 0
	if s.ctx.Names != nil {
		n = s.ctx.Names.MatchName(s.text[s.at[i]:])
	}
	for name := range s.ctx.Aliases {
		if len(name) > n && utf8.RuneCountInString(name) > 2 && s.has(i, name) {
			n = len(name)
		}
	}
	end := i + utf8.RuneCountInString(s.text[s.at[i]:s.at[i]+n])
	if s.runeAt(end) == '》' && strings.Contains(s.slice(i, end), "《") {
		end++ // 最高人民法院《关于民事诉讼证据的若干规定》
	}
	return end
}

// longer are the words by which a law's name goes on to that of a text about it.
var longer = regexp.MustCompile(`^(?:(?:总则编|物权编|合同编|人格权编|婚姻家庭编|继承编|侵权责任编|有关|担保制度|若干问题的?|适用)*(?:实施|施行|司法)?(?:条例|细则|办法|规定|解释|意见)|修正案)(?:[（(][一二三四五六七八九十0-9]{1,3}[）)]|[一二三四五六七八九十](第))?`)

// longerName extends a known name that ends at end when an article follows only
// behind more of a name: 个人所得税法 in 个人所得税法实施条例第六条.
func (s *scanner) longerName(end int) int {
	m := longer.FindString(s.text[s.at[end]:min(len(s.text), s.at[end]+120)])
	m = strings.TrimSuffix(m, "第")
	if m == "" {
		return end
	}
	after := end + utf8.RuneCountInString(m)
	if _, _, ok := s.article(after, true); ok {
		return after
	}
	return end
}

// boundaries are words after which a law's name begins.
var boundaries = strings.Fields(`依照 按照 根据 依据 违反 适用 符合 参照 援引 援用 引用 触犯 构成 属于 不符 规定 和 与 及 或 或者 以及
	的 对 在 由 将 按 依 据 如 即 是 为 有 以 把 从 向 因 犯 等 除 其 该 我国 中国 现行 见 看 查 经 至 到 了 于 给 被 前 后 原 旧 新 年
	关于 结合 参见 详见 具体 例如 比如 包括 同时 另外 所谓 实施 施行 执行 修改 修正 修订 遵守 遵照 请问 问 则 就 而 并 但 不 没有 无
	指 中 受 用 比照 删去 删除 之 能 应 当 须 须依 可 称 由于 名为 学习 讨论 解释 通过 公布 颁布 废止 类似 涉及 具备 享有 取消 将原 说`)

// beginsName reports whether a law's name can begin at i.
func (s *scanner) beginsName(i int) bool {
	return i == 0 || i == s.done || !isHan(s.runeAt(i-1)) || s.endsWith(i, boundaries)
}

// nameStart walks back from i to where a name that contains i begins.
func (s *scanner) nameStart(i int) int {
	for j := i; j >= max(s.done, i-maxNameWalk); j-- {
		if s.beginsName(j) {
			return j
		}
	}
	return i
}

// endsName reports whether a name can end at i, where no article follows. It keeps
// 公司法 from being found in 公司法人, 继承法 in 继承法律关系.
func (s *scanner) endsName(i int) bool {
	switch r := s.runeAt(i); r {
	case '律', '院', '官', '学', '理', '系', '庭', '治', '制', '式', '益', '典', '医', '案', '盲', '条', '例', '界':
		return false
	case '人':
		return s.runeAt(i+1) == '民'
	case '规', '定':
		return s.runeAt(i+1) == '定'
	case '实', '施', '司', '解', '修':
		return s.longerWord(i) == i
	}
	return true
}

// longerWord returns the end of 实施条例, 司法解释 and the like at i.
func (s *scanner) longerWord(i int) int {
	m := longer.FindString(s.text[s.at[i]:min(len(s.text), s.at[i]+120)])
	return i + utf8.RuneCountInString(strings.TrimSuffix(m, "第"))
}

// follow reads what may stand behind a law's name: an edition, 的, parts (编, 章,
// 节), and articles. It returns where the reference ends.
func (s *scanner) follow(ref *Reference, end int) int {
	j := s.skipSpace(end)
	for range 2 {
		if after, note := s.note(j); after > j {
			if editionNote.MatchString(note) {
				ref.Edition, end = note, after
			}
			j = s.skipSpace(after)
		}
	}
	if r := s.runeAt(j); r == '”' || r == '"' || r == '】' || r == '」' {
		j = s.skipSpace(j + 1) // “民法典”第1077条
	}
	j = s.skipSpace(s.anyOf(j, []string{"中的", "里的", "的", "中", "之"}))
	if part, after := s.part(j); after > j {
		ref.Part, end = part, after
		j = s.skipSpace(s.anyOf(s.skipSpace(after), []string{"中的", "的", "中", "、"}))
	}
	if points, after := s.points(j, true); len(points) > 0 {
		ref.Points, s.focus.points, end = points, points, after
	}
	return end
}

var editionNote = regexp.MustCompile(`^[（(](?:[12][0-9]{3}|最新|修正|修订|修改)[^简称号〕]{0,16}[）)]$`)

// note reads a bracket of at most 60 runes at i. Brackets nest:
// （以下简称《刑法修正案（九）》）.
func (s *scanner) note(i int) (end int, note string) {
	depth := 0
	for j := i; j < len(s.runes) && j < i+60 && s.runes[j] != '\n'; j++ {
		switch s.runes[j] {
		case '（', '(':
			depth++
		case '）', ')':
			depth--
		}
		if depth == 0 {
			if j > i {
				return j + 1, s.slice(i, j+1)
			}
			break
		}
	}
	return i, ""
}

// namedParts are parts of laws that are called by name.
var namedParts = []string{"总则编", "物权编", "合同编", "人格权编", "婚姻家庭编", "婚姻编", "继承编", "侵权责任编", "侵权编",
	"总则", "分则", "附则", "附录", "附件", "附表"}

// part reads 编, 章 and 节 at i, a list of them included: 第二编第三章, 分则第九章,
// 婚姻家庭编, 第三章、第四章, 附录一.
func (s *scanner) part(i int) (part string, end int) {
	end = i
	for j := i; ; {
		after := s.onePart(j)
		if after == j {
			return strings.TrimSpace(s.slice(i, end)), end
		}
		end = after
		j = s.skipSpace(after)
		if next := s.listMark(j); s.onePart(next) > next && s.runeAt(next) == '第' {
			j = next
		}
	}
}

// onePart returns the end of a part's name at i, i when there is none.
func (s *scanner) onePart(i int) int {
	if after := s.anyOf(i, namedParts); after > i {
		if _, end, ok := s.numeral(after); ok && s.runeAt(i) == '附' && s.runeAt(after) != ' ' {
			return end
		}
		return after
	}
	if s.runeAt(i) != '第' {
		return i
	}
	_, next, ok := s.numeral(i + 1)
	if !ok {
		return i
	}
	next = s.skipSpace(next)
	after := s.anyOf(next, []string{"编", "分编", "章", "节"})
	if after == next || s.has(next, "章程") || s.has(next, "节目") {
		return i
	}
	return after
}

// edition is what may stand before a name: 修正前, 2001年修正的, 1979年, 原.
var edition = regexp.MustCompile(`(?:(?:` + year + `年)?(?:[0-9]{1,2}月)?新?(?:修正|修订|修改)(?:前的?|后的?|的)` +
	`|` + year + `年(?:[0-9]{1,2}月)?(?:[0-9]{1,2}日)?(?:公布|颁布|施行|通过|制定)?的?|现行的?|原|旧)(?:中华人民共和国)?$`)

const year = `(?:[12][0-9]{3}|[一二][〇○零一二三四五六七八九]{3})`

// editionBefore returns what tells the edition of a law before its name at i.
func (s *scanner) editionBefore(i int) string {
	before := s.text[s.at[max(s.done, i-20)]:s.at[i]]
	return strings.TrimSuffix(edition.FindString(before), country)
}
