package verify

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/statute"
)

// passage is a piece of a quotation that is attributed as a whole: all of it, or the
// part under one article's label.
type passage struct {
	from, to int    // in the text, in bytes
	words    string // what is quoted
	claim    bool   // no marks: what stands behind 规定：
	targets  []target
	searched bool          // for its words, in the whole book
	nearest  *statute.Unit // of what the search brought: the unit most like it
}

// target is a reference that a quotation may be from.
type target struct {
	mention *book.Mention
	firm    bool // the text says that these are its words; else it only stands near
}

// claims match what may stand between a reference and the words it is said to hold:
// 的规定：, 明确规定如下, 原文为, or nothing.
var claims = regexp.MustCompile(`^(?:（[^（）]{0,40}）|\([^()]{0,40}\)|》|之|的|中|里|也|亦|则|又|还|都|均|已经?|进一步|同时|对此|就|明文|明确|清楚|专门|特别|分别|，|,|即|其)*` +
	`(?:规定|指出|载明|写明|写道|明确|要求|称|表述|表明|强调|提到|条文|原文|内容|全文|文字|法条)*(?:了|的|是|为|即|如下|道|有|：|:|，|,|—|-|（|\()*$`)

// asWords match a gap that introduces words, not a term: it ends in a colon, or in
// 规定 and the like.
var asWords = regexp.MustCompile(`(?:^|规定|指出|载明|写明|写道|明确|要求|称|表述|表明|强调|提到|如下|道|为|：|:)(?:：|:|，|,|—|-|（|\()*$`)

// follows match what may stand between words and the reference behind them that says
// where they are from: （《民法典》第1077条）, ——《民法典》第1077条.
var follows = regexp.MustCompile(`^[。．.，,；;、！!？?）)]*(?:[（(\[【〔—–-]+(?:以上|上文|引文|原文)?(?:内容|条文)?(?:参见|详见|见|参照|出自|摘自|引自|来自|载于|来源|依据|根据|语出|法律依据)?[：:]?|(?:这?是|系|出自|摘自|引自|来自|载于|见于))$`)

// bullet matches a gap that ends in the mark of a list, behind which a new thing begins.
var bullet = regexp.MustCompile(`\n\s*[-–*]\s*$`)

// attribute finds the references that each quotation may be from.
func (r *run) attribute() []passage {
	var out []passage
	all := slices.DeleteFunc(quotes(r.Text), r.isName)
	r.marks = make([]line, len(all))
	for i := range all {
		r.marks[i] = line{all[i].open, all[i].close}
	}
	outside := make([]*book.Mention, 0, len(r.mentions)) // references that no quotation holds
	for i := range r.mentions {
		if m := &r.mentions[i]; !holds(r.marks, m.Start, m.End) {
			outside = append(outside, m)
		}
	}
	for i := range all {
		q := &all[i]
		near := r.near(q, outside)
		for _, p := range r.passages(q) {
			p.targets = append(p.targets, near...)
			out = append(out, p)
		}
	}
	return append(out, r.claimed(outside)...)
}

// isName reports whether a quotation has a reference between its marks and nothing
// else: “民法典第1077条”.
func (r *run) isName(q quote) bool {
	if q.block || len(q.lines) != 1 {
		return false
	}
	l := q.lines[0]
	i := r.mentionFrom(l.from)
	return i < len(r.mentions) && r.mentions[i].End <= l.to && len(r.mentions[i].Text)+len("《》") >= l.to-l.from
}

// passages splits a quotation at lines that begin with an article's label, which is
// then the target of what follows. A reference at its very end that says where it is
// from is no part of it.
func (r *run) passages(q *quote) []passage {
	var out []passage
	var words strings.Builder
	p := passage{from: q.lines[0].from}
	finish := func() {
		if p.words = words.String(); p.words != "" {
			out = append(out, p)
		}
		words.Reset()
	}
	for k, l := range q.lines {
		from, to := l.from, l.to
		if i, end := r.heading(l); i >= 0 {
			finish()
			p, from = passage{from: l.from, targets: []target{{&r.mentions[i], true}}}, end
			r.headings[i] = true
		} else if k == len(q.lines)-1 {
			var named []target
			named, to = r.signature(l)
			p.targets = append(named, p.targets...)
		}
		p.to = to
		words.WriteByte('\n')
		words.WriteString(r.Text[from:to])
	}
	finish()
	if len(out) == 1 {
		out[0].from, out[0].to = q.open, q.close
	}
	return out
}

// signature returns the references at the end of a line that say where the words
// before them are from, ——《民法典》第1077条 or （第1077条）, and where those words end.
func (r *run) signature(l line) (named []target, end int) {
	i := r.mentionFrom(l.to) - 1
	if i < 0 || r.mentions[i].Start < l.from || r.mentions[i].End > l.to || strings.Trim(r.Text[r.mentions[i].End:l.to], " 　。.）)]】*") != "" {
		return nil, l.to
	}
	start := l.to
	first := i
	for ; i >= 0 && r.mentions[i].Start >= l.from && (i == first || isListMark(squeeze(r.Text[r.mentions[i].End:max(r.mentions[i].End, start)]))); i-- {
		named, start = append(named, target{&r.mentions[i], true}), r.mentions[i].Start
	}
	opener := opens.FindStringIndex(r.Text[l.from:start])
	if opener == nil {
		return nil, l.to
	}
	for i++; i <= first; i++ {
		r.headings[i] = true
	}
	return named, l.from + opener[0]
}

// opens match what stands before a reference that says where words are from.
var opens = regexp.MustCompile(`(?:[（(\[【]|[—–-]+)\s*(?:参见|详见|见|出自|摘自|引自|来源|依据)?[：:]?\s*$`)

// heading returns the number of the mention that a line begins with as its heading,
// and where the words behind it begin; -1 when the line begins otherwise.
func (r *run) heading(l line) (mention, end int) {
	at := l.to - len(strings.TrimLeft(r.Text[l.from:l.to], " \t　*#>【"))
	i := r.mentionFrom(at)
	if i == len(r.mentions) || r.mentions[i].Start != at || r.mentions[i].End > l.to || r.mentions[i].Number == 0 {
		return -1, 0
	}
	m := &r.mentions[i]
	rest := strings.TrimLeft(r.Text[m.End:l.to], "*】")
	end = l.to - len(rest)
	if label, ok := statute.LeadingLabel(r.Text[at:l.to]); ok && label.Heads() || rest == "" || strings.ContainsAny(rest[:1], " \t:") ||
		strings.HasPrefix(rest, "　") || strings.HasPrefix(rest, "：") {
		return i, end
	}
	return -1, 0
}

// mentionFrom returns the number of the first mention that begins at or behind a byte.
func (r *run) mentionFrom(at int) int {
	return firstFrom(len(r.mentions), func(i int) int { return r.mentions[i].Start }, at)
}

// firstFrom returns the first of n sorted places that is at or behind from.
func firstFrom(n int, place func(int) int, from int) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; place(mid) < from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// maxNear bounds how many references before a quotation are looked at, and maxGap how
// far away they may be, in bytes.
const (
	maxNear = 8
	maxGap  = 900
)

// near returns the references around a quotation, firm ones first: the one that
// follows it in brackets, the one before it whose words it is said to be, with those
// of the same list, and others of the paragraph.
func (r *run) near(q *quote, outside []*book.Mention) []target {
	var firm, loose []target
	next := firstFrom(len(outside), func(i int) int { return outside[i].Start }, q.close)
	if next < len(outside) && outside[next].Start-q.close < maxGap {
		gap := r.Text[q.close:outside[next].Start]
		if follows.MatchString(squeeze(gap)) && !bullet.MatchString(gap) {
			firm = append(firm, target{outside[next], true})
		}
	}
	list := len(firm) == 0 // still within the list of references that the quotation follows
	end := q.open
	for i := next - 1; i >= 0 && i >= next-maxNear; i-- {
		m := outside[i]
		if m.End > q.open || q.open-m.End > maxGap {
			break
		}
		gap := squeeze(r.Text[m.End:max(m.End, end)]) // the articles of a range share one place
		paragraph := strings.TrimSpace(r.Text[m.End:q.open])
		switch {
		case list && end == q.open && claims.MatchString(gap) && asWords.MatchString(gap):
			firm = append(firm, target{m, true})
		case list && end < q.open && isListMark(gap):
			firm = append(firm, target{m, true})
		case strings.Contains(paragraph, "\n") && !q.block:
			return append(firm, loose...)
		default:
			list = false
			loose = append(loose, target{mention: m})
		}
		end = m.Start
	}
	return append(firm, loose...)
}

func isListMark(gap string) bool {
	switch gap {
	case "", "、", "，", ",", "和", "及", "与", "以及", "或", "或者", "；", "；并", "，以及":
		return true
	}
	return false
}

// introduces matches a gap behind which an article's words are said to stand without
// marks: 规定：, 内容如下：.
var introduces = regexp.MustCompile(`^(?:之|的|中|也|亦|则|又|还|均|已经?|进一步|同时|明文|明确|清楚|专门|特别|有)*(?:规定|指出|载明|写明|明确|原文|内容|全文|条文|法条)+(?:了|的|是|为|即|如下)*(?:：|:|，|,)$`)

// claimed finds sentences that are given without marks as what an article says:
// 第一千零七十七条规定：自…. Such a sentence may be a paraphrase.
func (r *run) claimed(outside []*book.Mention) []passage {
	var out []passage
	for _, m := range outside {
		if m.Number == 0 {
			continue
		}
		from, ok := introduced(r.Text, m.End)
		if !ok || overlaps(r.marks, m.End, from+1) {
			continue
		}
		if last := len(out) - 1; last >= 0 { // the sentence before may not have ended
			out[last].to = min(out[last].to, m.Start)
		}
		to := from + sentenceLength(r.Text[from:min(len(r.Text), from+maxClaim)])
		if i := firstFrom(len(r.marks), func(i int) int { return r.marks[i].from }, from); i < len(r.marks) {
			to = min(to, r.marks[i].from)
		}
		for to > from && to < len(r.Text) && !utf8.RuneStart(r.Text[to]) {
			to--
		}
		if to > from {
			out = append(out, passage{from: from, to: to, claim: true, targets: []target{{m, true}}})
		}
	}
	for i := range out {
		out[i].words = r.Text[out[i].from:max(out[i].from, out[i].to)]
	}
	return out
}

// maxClaim bounds a sentence without marks, in bytes.
const maxClaim = 1800

// introduced returns where the words begin that text[at:] introduces.
func introduced(text string, at int) (from int, ok bool) {
	rest := text[at:min(len(text), at+90)]
	for _, mark := range []string{"：", ":", "，", ","} {
		i := strings.Index(rest, mark)
		if i >= 0 && introduces.MatchString(squeeze(rest[:i+len(mark)])) {
			from = at + i + len(mark)
			return from + len(text[from:]) - len(strings.TrimLeft(text[from:], " \n\t　*")), true
		}
	}
	return 0, false
}

// sentenceLength is the length of the sentence at the head of s.
func sentenceLength(s string) int {
	for i, r := range s {
		if r == '。' || r == '\n' || r == '！' || r == '？' {
			return i
		}
	}
	return len(s)
}
