package statute

import (
	"regexp"
	"slices"
	"strings"
)

// Titled names a law: its title as printed and the id under which the caller
// keeps it. Versions of one law may come with one id or with several.
type Titled struct {
	Title string
	ID    string
}

// Titles is an index of law titles. It resolves names exactly, finds known names
// in running text, and suggests the nearest title for a name that does not
// exist. It is safe for concurrent use once built.
type Titles struct {
	ids    map[string][]string // title key → ids in the order given
	alias  map[string]string   // key of a short name → title key
	spoken map[string]string   // key of a name derived by rule → title key, unique
	trie   nameTrie
	near   nearIndex
}

// NewTitles builds the index. former are names of laws that are no longer there:
// they are found in running text and resolve to nothing.
func NewTitles(list []Titled, former ...string) *Titles {
	t := &Titles{ids: map[string][]string{}, alias: map[string]string{}, spoken: map[string]string{}}
	for _, l := range list {
		key := TitleKey(l.Title)
		if key == "" {
			continue
		}
		if _, seen := t.ids[key]; !seen {
			t.near.add(key, ShortTitle(l.Title))
			t.addSpoken(l.Title, key)
			t.trie.add(l.Title)
		}
		t.ids[key] = appendNew(t.ids[key], l.ID)
	}
	for title, names := range aliases {
		for _, name := range names {
			t.alias[TitleKey(name)] = TitleKey(title)
			t.trie.add(name)
		}
		t.trie.add(title)
	}
	for _, name := range slices.Concat(formerLaws, former) {
		t.trie.add(name)
	}
	return t
}

// addSpoken registers the names derived from a title. A name that two titles
// share means neither.
func (t *Titles) addSpoken(title, key string) {
	for _, name := range spokenNames(title) {
		k := TitleKey(name)
		if other, taken := t.spoken[k]; taken && other != key {
			t.spoken[k] = ""
			continue
		}
		t.spoken[k] = key
		t.trie.add(name)
	}
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// Resolve returns the ids of the law that name means, nil when there is none:
// first the title itself, then a common short name, then a name that follows by
// rule from one title only. A part of a title is never enough: 合同法 is not
// 劳动合同法, 执业医师法 not 医师法.
func (t *Titles) Resolve(name string) []string {
	key := TitleKey(name)
	if ids := t.ids[key]; ids != nil {
		return ids
	}
	if ids := t.ids[t.alias[key]]; ids != nil {
		return ids
	}
	if full, ok := t.spoken[key]; ok && full != "" {
		return t.ids[full]
	}
	if bare := issuers.ReplaceAllString(key, ""); len([]rune(bare)) > 5 { // the title may lack its issuer
		return t.ids[bare]
	}
	return nil
}

// Nearest returns the title most like name, for a suggestion to a reader. It is
// never a resolution. ok is false when nothing is near.
func (t *Titles) Nearest(name string) (title string, ok bool) {
	return t.near.nearest(TitleKey(name))
}

// MatchName returns the length in bytes of the longest known law name at the
// start of text, 0 when there is none. A leading 中华人民共和国 and brackets
// inside the name are part of it.
func (t *Titles) MatchName(text string) int { return t.trie.match(text) }

var (
	issuers = regexp.MustCompile(`^(?:最高人民法院|最高人民检察院|全国人民代表大会常务委员会|全国人民代表大会|国务院办公厅|国务院|公安部|司法部|民政部|和|、)+(?:印发)?`)
	applies = regexp.MustCompile(`^(?:关于)?(?:执行|适用)(.+?)(审判监督程序|执行程序|诉讼时效制度)?(?:若干问题|有关问题)?的(?:若干)?(?:解释|规定)(（[一二三四五六七八九十]+）)?$`)
	tries   = regexp.MustCompile(`^(?:关于)?(?:审理|办理)(?:涉及)?(.+?)(?:民事纠纷|刑事|行政|纠纷)?案件(?:具体)?(?:适用|应用)?(?:法律)?(?:若干|有关|的)?(?:问题)?的?(?:若干)?(?:解释|规定)(（[一二三四五六七八九十]+）)?$`)
	trial   = regexp.MustCompile(`（(?:试行|暂行)）$`)
)

// spokenNames derives the names under which a title is also known: without its
// issuer, without 关于, without a trailing （试行）, and for interpretations
// 公司法解释（三） and 民间借贷司法解释.
func spokenNames(title string) []string {
	key := TitleKey(title)
	bare := issuers.ReplaceAllString(key, "")
	names := []string{trial.ReplaceAllString(key, "")}
	if len([]rune(bare)) > 5 { // 国务院组织法 is not 组织法
		names = append(names, bare, strings.TrimPrefix(bare, "关于"), trial.ReplaceAllString(bare, ""))
	}
	if m := applies.FindStringSubmatch(bare); m != nil {
		names = append(names, interpretations(m[1]+m[2], m[3])...)
	} else if m := tries.FindStringSubmatch(bare); m != nil {
		names = append(names, interpretations(m[1], m[2])...)
	}
	distinct := names[:0]
	for _, n := range names {
		if n != key && len([]rune(n)) > 3 && endsLikeLaw(n) {
			distinct = appendNew(distinct, n)
		}
	}
	return distinct
}

// interpretations builds the usual names of an interpretation of what, with its
// ordinal （三） also written 三.
func interpretations(what, ordinal string) []string {
	plain := strings.Trim(ordinal, "（）")
	names := []string{what + "解释" + ordinal, what + "司法解释" + ordinal, what + "的解释" + ordinal}
	if plain != "" {
		names = append(names, what+"解释"+plain, what+"司法解释"+plain)
	}
	return names
}

// lawEndings are the last words of titles of laws and the like.
var lawEndings = []string{"法", "民法典", "条例", "规定", "办法", "细则", "规则", "解释", "决定", "通知", "意见", "批复", "安排",
	"公约", "条约", "协定", "议定书", "修正案", "标准", "规范", "规程", "准则", "通则", "总则", "章程", "制度", "方案", "纲要",
	"命令", "决议", "答复", "解答", "复函", "守则", "指引", "通告", "公告", "会议纪要"}

var ordinalEnd = regexp.MustCompile(`(?:（[^（）]{1,8}）|[一二三四五六七八九十])$`)

// endsLikeLaw reports whether a name ends as titles of laws do, an ordinal or
// （试行） behind it allowed.
func endsLikeLaw(name string) bool {
	for range 2 {
		for _, e := range lawEndings {
			if strings.HasSuffix(name, e) {
				return true
			}
		}
		name = ordinalEnd.ReplaceAllString(name, "")
	}
	return false
}

var _ Names = (*Titles)(nil)
