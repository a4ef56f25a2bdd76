package tools

import (
	"context"
	"errors"
	"strings"

	"lexagent/book"
	"lexagent/statute"
)

// Bounds of what get_article shows.
const (
	maxArticles     = 10
	maxNeighbours   = 3
	maxArticleRunes = 3_000
	neighbourRunes  = 400
)

type articleIn struct {
	Article    string `json:"article" jsonschema:"required" jsonschema_description:"法条的 id（民法典:1077 或 民法典@2020-05-28:1077），或名称（民法典第一千零七十七条、刑法第175条之一）；可以一次写几条"`
	Neighbours count  `json:"neighbours,omitempty" jsonschema_description:"连同前后各几条，0 到 3，默认 0"`
	AsOf       string `json:"as_of,omitempty" jsonschema_description:"按哪一天有效的版本，如 2020-06-01；不写=今天"`
}

type beside struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

type article struct {
	found
	Before []beside `json:"before,omitempty"`
	After  []beside `json:"after,omitempty"`
}

type articleOut struct {
	Articles []article `json:"articles"`
	Notes    []string  `json:"notes,omitempty"`
}

func (r *runner) getArticle() *typed[articleIn] {
	return newTool("get_article", "按 id 或条号取法条全文（含款、项）和效力状态，可连同前后条。知道条号、或检索结果被截断（cut）时用它。引用任何法条之前，都应当用它或检索看过原文。",
		func(ctx context.Context, in articleIn) (any, error) { return r.article(ctx, in) })
}

func (r *runner) article(ctx context.Context, in articleIn) (*articleOut, error) {
	if in.Neighbours < 0 || in.Neighbours > maxNeighbours {
		return nil, problem("neighbours 是 %d，应当在 0 到 %d 之间。", in.Neighbours, maxNeighbours)
	}
	day, err := r.day(in.AsOf)
	if err != nil {
		return nil, err
	}
	named, err := r.named(ctx, in.Article, day)
	if err != nil {
		return nil, err
	}
	out := &articleOut{Articles: []article{}}
	for i := range named {
		m := &named[i]
		if m.Unit == nil {
			out.Notes = append(out.Notes, missing(m))
			continue
		}
		if len(out.Articles) == maxArticles {
			out.Notes = append(out.Notes, problem("一次最多看 %d 条，其余请再调用一次。", maxArticles).Text)
			break
		}
		a, err := r.whole(ctx, m, int(in.Neighbours), day)
		if err != nil {
			return nil, err
		}
		out.Articles = append(out.Articles, *a)
	}
	if len(out.Articles) == 0 {
		return nil, problem("%s", strings.Join(out.Notes, " "))
	}
	return out, nil
}

// named looks up the articles that a text names, by id or as people write them. One at
// least is named, there or not.
func (r *runner) named(ctx context.Context, text string, day statute.Date) ([]book.Mention, error) {
	text = strings.Trim(strings.TrimSpace(text), "[]【】")
	if text == "" {
		return nil, problem("article 是空的：写 id（民法典:1077）或名称（民法典第一千零七十七条）。")
	}
	u, l, err := r.kit.Book.Unit(ctx, r.collections, text, day)
	switch {
	case err == nil:
		return []book.Mention{{Law: l, Unit: u, Outcome: book.Found}}, nil
	case !errors.Is(err, book.ErrNotFound):
		return nil, err
	}
	if id, err := statute.ParseID(text); err == nil && id.Key != "" {
		text = "[" + text + "]" // the form in which texts hold ids
	}
	mentions, err := r.kit.Book.Mentions(ctx, r.collections, text, nil, day)
	if at := strings.Index(text, "第"); err == nil && at > 0 && len(mentions) > 0 && mentions[0].Outcome == book.Unclear {
		// A name that no law has is seen to be one only in its brackets.
		mentions, err = r.kit.Book.Mentions(ctx, r.collections, "《"+text[:at]+"》"+text[at:], nil, day)
	}
	if err != nil {
		return nil, err
	}
	if len(mentions) == 0 {
		return nil, problem("看不出 %q 是哪一条。写 id（民法典:1077）或法律名称加条号（民法典第一千零七十七条）；不知道条号就用 search_statutes 按内容查。", head(text))
	}
	return mentions, nil
}

// missing says why a mention led to no article, and what to do.
func missing(m *book.Mention) string {
	switch m.Outcome {
	case book.NoArticle:
		return m.Note + "。用 list_law 看目录，或用 search_statutes 按内容查，不要猜条号。"
	case book.NoLaw:
		return m.Note + "。核对名称后再查，或用 search_statutes 按内容查；没有收录的法律不要引用。"
	case book.Ended:
		return m.Note + "。原文没有收录，请改查取代它的法律。"
	case book.Found:
		return "《" + m.Law.Title + "》是整部法律：写明条号，或用 list_law 看目录。"
	}
	return "看不出 " + head(m.Text) + " 属于哪部法律：写明法律名称和条号。"
}

// head is the begin of what a model wrote, for a message to it.
func head(text string) string {
	text, _ = clip(strings.Join(strings.Fields(text), " "), 60)
	return text
}

// whole is an article with its text and the units around it.
func (r *runner) whole(ctx context.Context, m *book.Mention, neighbours int, day statute.Date) (*article, error) {
	u, l := m.Unit, m.Law
	a := &article{found: found{ID: u.ID, Name: name(l.Title, u.Label), Status: l.StatusOn(day), Path: strings.Join(u.Path, " / ")}}
	a.Text, a.Cut = clip(u.Text, maxArticleRunes)
	r.seen(hitOf(u, l, day))
	if neighbours == 0 {
		return a, nil
	}
	units, err := r.kit.Book.Units(ctx, l)
	if err != nil {
		return nil, err
	}
	at := -1
	for i := range units {
		if units[i].ID == u.ID {
			at = i
		}
	}
	if at < 0 {
		return a, nil
	}
	a.Before = r.besides(units[max(0, at-neighbours):at], l, day)
	a.After = r.besides(units[at+1:min(len(units), at+1+neighbours)], l, day)
	return a, nil
}

func (r *runner) besides(units []statute.Unit, l *statute.Law, day statute.Date) []beside {
	var out []beside
	for i := range units {
		u := &units[i]
		text, _ := clip(u.Text, neighbourRunes)
		out = append(out, beside{u.ID, u.Label, text})
		r.seen(hitOf(u, l, day))
	}
	return out
}
