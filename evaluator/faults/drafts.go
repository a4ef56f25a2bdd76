package faults

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lexagent/retrieval"
	"lexagent/statute"
)

// Kind names a planted fault, or its absence.
type Kind string

// Lies about statutes.
const (
	True          Kind = "true"
	WrongNumber   Kind = "wrong number, right content"
	InventedLaw   Kind = "invented law"
	BeyondLast    Kind = "article beyond the last"
	RepealedLaw   Kind = "repealed law as current"
	FakeQuote     Kind = "fake quotation"
	AlteredQuote  Kind = "altered quotation"
	StitchedQuote Kind = "stitched quotation"
	Misattributed Kind = "misattributed quotation"
	WrongAmount   Kind = "wrong amount or time"
	MarkdownLink  Kind = "false citation as Markdown link"
	OtherWidth    Kind = "false citation in full-width digits"
	SubDropped    Kind = "之一 dropped"
)

// Faults of meaning.
const (
	ModalFlipped   Kind = "modal flipped"
	NotDropped     Kind = "不得 dropped"
	ProvisoIgnored Kind = "但书 left out"
	WrongSubject   Kind = "wrong subject"
)

// Parts of an article left out that change what the rest says.
const (
	ItemLeftOut      Kind = "item (项) left out"
	ParagraphLeftOut Kind = "paragraph (款) left out"
)

// Lies, Meanings and Omissions list the faults of each sort.
var (
	Lies = []Kind{WrongNumber, InventedLaw, BeyondLast, RepealedLaw, FakeQuote, AlteredQuote, StitchedQuote, Misattributed, WrongAmount, MarkdownLink, OtherWidth, SubDropped}

	Meanings = []Kind{ModalFlipped, NotDropped, ProvisoIgnored, WrongSubject}

	Omissions = []Kind{ParagraphLeftOut, ItemLeftOut}
)

// Draft is a text over some evidence, with what was planted in it.
type Draft struct {
	Kind     Kind
	Question string
	Evidence []retrieval.Hit
	Text     string
	Fault    string // the words of the text that are false
}

// material is what a draft is made of: a sentence of an article of the evidence.
type material struct {
	rng      *rand.Rand
	question string
	evidence []retrieval.Hit
	hit      *retrieval.Hit
	sentence string
	last     int    // number of the law's last article
	repealed string // 《…》第N条 of a law that is no longer in force
}

func (m *material) name(h *retrieval.Hit) string { return "《" + h.Law + "》" + h.Label }

// number is the article's number, 0 for other units.
func number(h *retrieval.Hit) (n, sub int) {
	id, err := statute.ParseID(h.ID)
	if err != nil {
		return 0, 0
	}
	n, sub, _ = id.Number()
	return n, sub
}

// other is another article of the evidence, nil where there is none.
func (m *material) other() *retrieval.Hit {
	for _, i := range m.rng.Perm(len(m.evidence)) {
		if h := &m.evidence[i]; h.ID != m.hit.ID && h.Text != m.hit.Text && !strings.Contains(h.Text, m.sentence) {
			if n, _ := number(h); n > 0 {
				return h
			}
		}
	}
	return nil
}

// plant writes a draft with a fault; ok is false where the material doesn't allow it.
// A true sentence with its citation stands before the false one, as in real drafts.
func (m *material) plant(k Kind) (d Draft, ok bool) {
	d = Draft{Kind: k, Question: m.question, Evidence: m.evidence}
	for _, of := range []func(Kind) string{m.truth, m.falseReference, m.falseQuote, m.falseMeaning, m.omission} {
		if d.Fault = of(k); d.Fault != "" {
			break
		}
	}
	if d.Text = d.Fault; d.Text == "" {
		return d, false
	}
	if lead, has := m.lead(); has && k != True && !slices.Contains(Omissions, k) {
		d.Text = lead + d.Text
	}
	return d, true
}

func (m *material) quote(of *retrieval.Hit, words string) string {
	return m.name(of) + "规定：“" + words + "”"
}

// cited is a sentence with the article behind it.
func (m *material) cited(sentence, name string) string {
	return strings.TrimSuffix(sentence, "。") + "（" + name + "）。"
}

// truth is a sentence as the article has it, cited or quoted; "" for faults, and where
// another paragraph limits it: alone it is not the whole truth.
func (m *material) truth(k Kind) string {
	if k != True || limiting.MatchString(m.hit.Text) {
		return ""
	}
	s, h := m.sentence, m.hit
	return []string{s + "（" + m.name(h) + "）", m.quote(h, s), "根据" + m.name(h) + "，" + s, s + "[" + h.ID + "]"}[m.rng.IntN(4)]
}

// falseReference names an article that does not say so, or is not there; "" for other
// faults.
func (m *material) falseReference(k Kind) string {
	s, h := m.sentence, m.hit
	beyond := m.last + 1 + m.rng.IntN(40)
	switch k {
	case WrongNumber:
		if o := m.other(); o != nil && m.rng.IntN(2) == 0 {
			return "根据" + m.name(o) + "，" + s
		}
		if n, _ := number(h); m.last > 3 {
			return m.cited(s, "《"+h.Law+"》"+statute.Label(1+(n+m.rng.IntN(m.last-2))%m.last, 0))
		}
	case InventedLaw:
		return "《中华人民共和国" + []string{"职场公平", "网络借贷促进", "宠物伤害赔偿", "邻里关系", "消费纠纷处理"}[m.rng.IntN(5)] + "法》" + statute.Label(1+m.rng.IntN(60), 0) + "规定，" + s
	case BeyondLast:
		return "根据《" + h.Law + "》" + statute.Label(beyond, 0) + "，" + s
	case RepealedLaw:
		if m.repealed != "" {
			return "根据" + m.repealed + "，" + s
		}
	case MarkdownLink:
		return fmt.Sprintf("%s[《%s》%s](article://%s)", s, h.Law, statute.Label(beyond, 0), h.ID)
	case OtherWidth:
		return m.cited(s, "《"+h.Law+"》第"+wide(beyond)+"条")
	}
	return ""
}

// falseQuote quotes or repeats what no article says, or another one; "" for other
// faults.
func (m *material) falseQuote(k Kind) string {
	s, h := m.sentence, m.hit
	switch k {
	case FakeQuote:
		return m.quote(h, "当事人应当在七十二小时以内携带身份证原件到所在地街道办事处登记备案，逾期视为放弃全部权利。")
	case AlteredQuote:
		if w, changed := alter(s); changed {
			return m.quote(h, w)
		}
	case StitchedQuote:
		if parts := strings.Split(strings.TrimSuffix(s, "。"), "，"); len(parts) >= 4 {
			return m.quote(h, parts[0]+"，"+strings.Join(parts[len(parts)-2:], "，")+"。")
		}
	case Misattributed:
		if o := m.other(); o != nil {
			return m.quote(o, s)
		}
	case WrongAmount:
		if w, changed := changeFigure(s); changed {
			return m.cited(w, m.name(h))
		}
	case SubDropped:
		if n, sub := number(h); sub > 0 {
			return "《" + h.Law + "》" + statute.Label(n, 0) + "规定：“" + s + "”"
		}
	}
	return ""
}

// Swaps of words that turn the meaning of a sentence.
var (
	modals   = [][2]string{{"应当", "可以"}, {"可以", "应当"}, {"不得", "可以"}, {"有权", "无权"}}
	subjects = [][2]string{{"用人单位", "劳动者"}, {"劳动者", "用人单位"}, {"经营者", "消费者"}, {"消费者", "经营者"}, {"出租人", "承租人"}, {"承租人", "出租人"}, {"债务人", "债权人"}, {"债权人", "债务人"}, {"人民法院", "公安机关"}, {"公安机关", "人民法院"}, {"被告", "原告"}}
)

// falseMeaning changes what an article says; "" for other faults.
func (m *material) falseMeaning(k Kind) string {
	s, h := m.sentence, m.hit
	switch k {
	case ModalFlipped:
		for _, swap := range modals {
			if strings.Count(s, swap[0]) == 1 && !strings.Contains(s, "不可以") {
				return m.cited(strings.Replace(s, swap[0], swap[1], 1), m.name(h))
			}
		}
	case NotDropped:
		if strings.Count(s, "不得") == 1 {
			return m.cited(strings.Replace(s, "不得", "可以", 1), m.name(h))
		}
	case ProvisoIgnored:
		for _, cut := range []string{"；但是", "，但是", "，但", "；但", "。但是"} {
			if i := strings.Index(s, cut); i > 20 {
				return m.cited(s[:i], m.name(h))
			}
		}
	case WrongSubject:
		for _, swap := range subjects {
			if i := strings.Index(s, swap[0]); i >= 0 && i < 30 {
				return m.cited(s[:i]+swap[1]+s[i+len(swap[0]):], m.name(h))
			}
		}
	}
	return ""
}

// omission gives an article without a part that the rest needs; "" for other faults.
func (m *material) omission(k Kind) string {
	without := map[Kind]func(string) string{ItemLeftOut: withoutItem, ParagraphLeftOut: withoutLimit}[k]
	if without == nil {
		return ""
	}
	for i := range m.evidence {
		h := &m.evidence[i]
		if n, _ := number(h); n == 0 {
			continue
		}
		if text := without(h.Text); text != "" {
			return text + "（" + m.name(h) + "）"
		}
	}
	return ""
}

// lead is a true sentence of another article of the evidence, with its citation.
func (m *material) lead() (string, bool) {
	o := m.other()
	if o == nil {
		return "", false
	}
	s := pick(m.rng, o.Text)
	if s == "" {
		return "", false
	}
	return strings.TrimSuffix(s, "。") + "（" + m.name(o) + "）。", true
}

// pick chooses a sentence of an article that can stand alone, "" where there is none.
func pick(rng *rand.Rand, text string) string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, s := range strings.SplitAfter(line, "。") {
			s = strings.TrimSpace(s)
			if n := utf8.RuneCountInString(s); n >= 16 && n <= 130 && strings.HasSuffix(s, "。") && !strings.ContainsAny(s, "“”《》（") && !refers.MatchString(s) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[rng.IntN(len(all))]
}

// refers finds sentences that stand on others.
var refers = regexp.MustCompile(`前款|前条|本条|前项|本法第|第[一二三四五六七八九十百千]+[条款项]|下列`)

// changes are how a quotation is falsified.
var changes = [][2]string{{"应当", "可以"}, {"可以", "应当"}, {"不得", "可以"}, {"三十日", "六十日"}, {"书面", "口头"}, {"以上", "以下"}, {"以下", "以上"}, {"人民法院", "公安机关"}, {"申请", "强制"}, {"承担", "免除"}, {"当事人", "代理人"}}

func alter(s string) (string, bool) {
	for _, c := range changes {
		if strings.Contains(s, c[0]) {
			return strings.Replace(s, c[0], c[1], 1), true
		}
	}
	return s, false
}

var figures = regexp.MustCompile(`([一二三四五六七八九十]+)(日|个月|年|万元|倍|小时|周岁)|百分之[一二三四五六七八九十]+`)

// changeFigure makes another amount of the first one.
func changeFigure(s string) (string, bool) {
	at := figures.FindStringIndex(s)
	if at == nil {
		return s, false
	}
	old := s[at[0]:at[1]]
	unit := strings.TrimLeft(old, "一二三四五六七八九十百分之")
	now := "四十七" + unit
	if strings.HasPrefix(old, "百分之") {
		now = "百分之四十七"
	}
	return s[:at[0]] + now + s[at[1]:], true
}

func wide(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '０' }, strconv.Itoa(n))
}

var itemLine = regexp.MustCompile(`^（[一二三四五六七八九十]+）`)

// longestList is how long an article may be that a draft gives whole, in characters.
const longestList = 500

// withoutItem is an article's list without its last but one item; "" where it has fewer
// than four.
func withoutItem(text string) string {
	lines := strings.Split(text, "\n")
	var items []int
	for i, l := range lines {
		if itemLine.MatchString(strings.TrimSpace(l)) {
			items = append(items, i)
		}
	}
	if len(items) < 4 || utf8.RuneCountInString(text) > longestList {
		return ""
	}
	drop := items[len(items)-2]
	return strings.Join(slices.Delete(lines, drop, drop+1), "\n")
}

// limiting is a paragraph that takes back what another one says.
var limiting = regexp.MustCompile(`不(适用于?|受)(前[一二两三]?款|本条第[一二三]款)|前款规定[^，。]{0,8}不(适用|受)`)

// withoutLimit is an article without its paragraph that limits another one; "" where it
// has none.
func withoutLimit(text string) string {
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, limiting.MatchString)
	if at <= 0 || utf8.RuneCountInString(text) > longestList {
		return ""
	}
	return strings.Join(slices.Delete(lines, at, at+1), "\n")
}
