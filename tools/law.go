package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"lexagent/book"
	"lexagent/statute"
)

// Bounds of what list_law and law_status show.
const (
	maxSections   = 150
	maxListed     = 120
	listedRunes   = 40
	maxCandidates = 6
	maxVersions   = 30
)

type listIn struct {
	Law     string `json:"law" jsonschema:"required" jsonschema_description:"法律的名称（劳动合同法）或 id（劳动合同法@2012-12-28）"`
	Section string `json:"section,omitempty" jsonschema_description:"只列标题含这些字的编、章、节中的各条，如：第四章 或 离婚"`
	AsOf    string `json:"as_of,omitempty" jsonschema_description:"按哪一天有效的版本，如 2020-06-01；不写=今天"`
}

type lawCard struct {
	ID        string         `json:"id"`
	Title     string         `json:"title"`
	Level     statute.Level  `json:"level"`
	Issuer    string         `json:"issuer,omitempty"`
	Region    string         `json:"region,omitempty"`
	Status    statute.Status `json:"status"`
	Effective statute.Date   `json:"effective"`
	Ended     statute.Date   `json:"ended"`
}

func cardOf(l *statute.Law, day statute.Date) lawCard {
	return lawCard{l.ID, l.Title, l.Level, l.Issuer, l.Region, l.StatusOn(day), l.Effective, l.Ended}
}

type section struct {
	Heading string `json:"heading"`
	First   string `json:"first"` // label
	Last    string `json:"last"`
	FirstID string `json:"first_id"`
	Units   int    `json:"units"`
}

type listOut struct {
	Law      lawCard   `json:"law"`
	Units    int       `json:"units"`
	Sections []section `json:"sections,omitempty"`
	Articles []beside  `json:"articles,omitempty"`
	Next     string    `json:"next,omitempty"`
}

func (r *runner) listLaw() *typed[listIn] {
	return newTool("list_law", "列出一部法律的目录：编、章、节和各自的条号范围；带 section 时列出其中各条的开头。想知道一部法律有哪些内容、某个问题规定在哪一章时用它。",
		func(ctx context.Context, in listIn) (any, error) { return r.list(ctx, in) })
}

func (r *runner) list(ctx context.Context, in listIn) (*listOut, error) {
	day, err := r.day(in.AsOf)
	if err != nil {
		return nil, err
	}
	l, _, err := r.law(ctx, in.Law, day)
	if err != nil {
		return nil, err
	}
	units, err := r.kit.Book.Units(ctx, l)
	if err != nil {
		return nil, err
	}
	out := &listOut{Law: cardOf(l, day), Units: len(units)}
	all := sections(units)
	switch {
	case in.Section != "":
		units = slices.DeleteFunc(units, func(u statute.Unit) bool { return !strings.Contains(heading(&u), in.Section) })
		if len(units) == 0 {
			return nil, problem("《%s》没有标题含 %q 的编、章、节。不带 section 再调用一次看全部目录。", l.Title, head(in.Section))
		}
		out.Articles = listed(units)
	case len(all) == 1:
		out.Articles = listed(units)
	default:
		out.Sections = all[:min(len(all), maxSections)]
		out.Next = "带 section 再调用，可以看某一章有哪些条；用 get_article 看全文。"
	}
	if len(units) > len(out.Articles) && out.Articles != nil {
		out.Next = "只列了前面的一部分；用 get_article 按条号看其余的，或用 search_statutes 按内容查。"
	}
	return out, nil
}

// heading is where a unit stands in its law.
func heading(u *statute.Unit) string { return strings.Join(u.Path, " / ") }

// sections groups units by the headings above them.
func sections(units []statute.Unit) []section {
	var out []section
	for i := range units {
		u := &units[i]
		if h := heading(u); len(out) == 0 || out[len(out)-1].Heading != h {
			out = append(out, section{Heading: h, First: u.Label, FirstID: u.ID})
		}
		s := &out[len(out)-1]
		s.Last = u.Label
		s.Units++
	}
	return out
}

// listed are units with the begins of their texts.
func listed(units []statute.Unit) []beside {
	var out []beside
	for i := range units[:min(len(units), maxListed)] {
		u := &units[i]
		text, _ := clip(strings.Join(strings.Fields(u.Text), " "), listedRunes)
		out = append(out, beside{u.ID, u.Label, text})
	}
	return out
}

// law finds a law by its id or its name. For one that the book knows only as repealed
// it returns the mention that tells so, and no law.
func (r *runner) law(ctx context.Context, text string, day statute.Date) (*statute.Law, *book.Mention, error) {
	text = strings.Trim(strings.TrimSpace(text), "《》[]【】")
	if text == "" {
		return nil, nil, problem("law 是空的：写法律的名称，如 劳动合同法。")
	}
	l, err := r.kit.Book.Law(r.collections, text, day)
	switch {
	case err == nil:
		return l, nil, nil
	case !errors.Is(err, book.ErrNotFound):
		return nil, nil, err
	}
	mentions, err := r.kit.Book.Mentions(ctx, r.collections, "《"+text+"》", nil, day)
	if err != nil {
		return nil, nil, err
	}
	note := ""
	for i := range mentions {
		m := &mentions[i]
		if m.Law != nil {
			return m.Law, m, nil
		}
		if m.Outcome == book.Ended {
			return nil, m, problem("%s。原文没有收录，请改查取代它的法律。", m.Note)
		}
		note = m.Note
	}
	if note == "" {
		note = "没有收录《" + head(text) + "》"
	}
	if near := r.candidates(text); len(near) > 0 {
		note += "。名称含这几个字的有：" + strings.Join(near, "、")
	}
	return nil, nil, problem("%s。用完整名称再调用一次，或用 search_statutes 按内容查。", note)
}

// candidates are titles that have all characters of text in one piece.
func (r *runner) candidates(text string) []string {
	var out []string
	for _, l := range r.kit.Book.Laws(r.collections) {
		if len(out) == maxCandidates {
			break
		}
		if title := "《" + l.Title + "》"; strings.Contains(l.Title, text) && !slices.Contains(out, title) {
			out = append(out, title)
		}
	}
	return out
}

type statusIn struct {
	Law  string `json:"law" jsonschema:"required" jsonschema_description:"法律的名称（合同法）或 id（劳动合同法@2012-12-28）"`
	AsOf string `json:"as_of,omitempty" jsonschema_description:"看哪一天的状态，如 2020-06-01；不写=今天"`
}

type statusOut struct {
	lawCard
	AsOf      statute.Date `json:"as_of"`
	Versions  []lawCard    `json:"versions,omitempty"`  // oldest first
	Successor *lawCard     `json:"successor,omitempty"` // what took its place
	Note      string       `json:"note,omitempty"`
}

func (r *runner) lawStatus() *typed[statusIn] {
	return newTool("law_status", "查一部法律在某一天是否有效：现行、尚未施行、已废止、已被新版本取代；有哪些版本、施行和失效日期、由哪部法律取代。问题涉及旧法、修订或过去的事实时用它。",
		func(ctx context.Context, in statusIn) (any, error) { return r.status(ctx, in) })
}

func (r *runner) status(ctx context.Context, in statusIn) (*statusOut, error) {
	day, err := r.day(in.AsOf)
	if err != nil {
		return nil, err
	}
	l, m, err := r.law(ctx, in.Law, day)
	if l == nil {
		if m == nil {
			return nil, err
		}
		out := &statusOut{AsOf: day, Note: m.Note + "。原文没有收录。"}
		out.Title, out.Status = m.Name, statute.Repealed
		if by, _, err := r.law(ctx, m.Successor, day); err == nil {
			c := cardOf(by, day)
			out.Successor = &c
		}
		return out, nil
	}
	out := &statusOut{lawCard: cardOf(l, day), AsOf: day}
	versions := r.kit.Book.Versions(l)
	for _, v := range versions[max(0, len(versions)-maxVersions):] {
		out.Versions = append(out.Versions, cardOf(v, day))
	}
	if by := r.kit.Book.EndedBy(l); by != nil && slices.Contains(r.collections, by.Collection) {
		c := cardOf(by, day)
		out.Successor = &c
	}
	return out, nil
}
