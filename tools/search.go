package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lexagent/book"
	"lexagent/retrieval"
	"lexagent/statute"
)

// Bounds of what a search shows.
const (
	maxHits      = 20
	defaultHits  = 5
	maxHitRunes  = 800   // of one text
	maxTextRunes = 8_000 // of all texts
)

type searchIn struct {
	Query       string  `json:"query" jsonschema:"required" jsonschema_description:"要查的问题或事实，一句完整的中文，如：试用期内辞退要提前多久通知。也可以点名法条：劳动合同法第三十九条"`
	K           count   `json:"k,omitempty" jsonschema_description:"要几条结果，1 到 20，默认 5"`
	Granularity string  `json:"granularity,omitempty" jsonschema:"enum=article,enum=chunk,enum=dual" jsonschema_description:"article=整条法条，chunk=连续几条的段落，dual=两者"`
	AsOf        string  `json:"as_of,omitempty" jsonschema_description:"按哪一天有效的法律，如 2020-06-01；any=不限；不写=今天。事情发生在过去时要写"`
	Region      string  `json:"region,omitempty" jsonschema_description:"省级地名，如 上海：除全国性法律外，还查该地的地方性法规"`
	Levels      []count `json:"levels,omitempty" jsonschema_description:"只查这些效力级别：0 宪法 1 法律 2 行政法规 3 地方性法规 4 规章 5 司法解释 6 其他"`
}

// found is a unit as results show it.
type found struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Status   statute.Status `json:"status"`
	Path     string         `json:"path,omitempty"`
	Articles []string       `json:"articles,omitempty"` // of a chunk
	Text     string         `json:"text"`
	Cut      bool           `json:"cut,omitempty"`
}

type searchOut struct {
	Hits  []found  `json:"hits"`
	Notes []string `json:"notes,omitempty"`
	Next  string   `json:"next,omitempty"`
}

func (r *runner) searchStatutes() *typed[searchIn] {
	return newTool("search_statutes", "按内容检索中国法律条文（法律、法规、规章、司法解释），返回最相关的法条原文、id 和效力状态。回答法律问题先用它；不知道条号时用它。"+
		"一次查一个问题，问题复杂时分几次查。结果里的 id 可交给 get_article 看全文、trace_citations 看引用关系。",
		func(ctx context.Context, in searchIn) (any, error) {
			return r.search(ctx, in, retrieval.Articles, r.collections)
		})
}

func (r *runner) searchDocuments() *typed[searchIn] {
	return newTool("search_documents", "检索调用者自己上传的文件（不含公共法规库），默认按段落返回。要查国家法律用 search_statutes。",
		func(ctx context.Context, in searchIn) (any, error) {
			own := r.own()
			if len(own) == 0 {
				return nil, problem("没有可查的自有文件。法律条文请用 search_statutes。")
			}
			return r.search(ctx, in, retrieval.Chunks, own)
		})
}

// own are the caller's collections beside the public one.
func (r *runner) own() []string {
	return slices.DeleteFunc(slices.Clone(r.collections), func(c string) bool { return c == retrieval.DefaultCollection })
}

func (r *runner) search(ctx context.Context, in searchIn, by retrieval.Granularity, collections []string) (any, error) {
	q, err := r.query(in, by)
	if err != nil {
		return nil, err
	}
	q.Scope.Collections = collections
	res, err := r.kit.Search.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	out := searchOut{Hits: []found{}, Notes: res.Notes}
	all := maxTextRunes
	if r.caller.MaxRunes > 0 {
		all = r.caller.MaxRunes
	}
	limit := min(maxHitRunes, all/max(len(res.Hits), 1))
	for i := range res.Hits {
		h := &res.Hits[i]
		f := found{ID: h.ID, Name: name(h.Law, h.Label), Status: h.Status, Path: strings.Join(h.Path, " / "), Articles: h.Units}
		f.Text, f.Cut = clip(h.Text, limit)
		out.Hits = append(out.Hits, f)
	}
	if err := r.tellSeen(ctx, res.Hits, q); err != nil {
		return nil, err
	}
	if len(out.Hits) == 0 {
		out.Next = "没有找到。换一种说法、去掉 levels 或 region，或者写明法律名称和条号再查；仍然没有，就说明没有找到依据。"
	}
	return out, nil
}

// query is the search that a call asks for.
func (r *runner) query(in searchIn, by retrieval.Granularity) (retrieval.Query, error) {
	q := retrieval.Query{Text: in.Query, K: int(in.K), By: by, Scope: r.caller.Scope}
	switch {
	case strings.TrimSpace(in.Query) == "":
		return q, problem("query 是空的：写一句要查的问题，如：试用期最长多久。")
	case in.K < 0 || in.K > maxHits:
		return q, problem("k 是 %d，应当在 1 到 %d 之间。", in.K, maxHits)
	case in.K == 0:
		q.K = defaultHits
	}
	if in.Granularity != "" {
		q.By = retrieval.Granularity(in.Granularity)
	}
	if !slices.Contains(retrieval.Granularities, q.By) {
		return q, problem("granularity 是 %q，只能是 article、chunk 或 dual。", in.Granularity)
	}
	if in.Region != "" {
		q.Scope.Region = in.Region
	}
	if len(in.Levels) > 0 {
		q.Scope.Levels = nil
	}
	for _, n := range in.Levels {
		l, err := statute.ParseLevel(int(n))
		if err != nil {
			return q, problem("levels 里有 %d，效力级别只有 0 到 6。", n)
		}
		q.Scope.Levels = append(q.Scope.Levels, l)
	}
	var err error
	q.Scope.AsOf, err = r.asOf(in.AsOf)
	return q, err
}

// tellSeen tells of the units found, and of those that chunks hold.
func (r *runner) tellSeen(ctx context.Context, hits []retrieval.Hit, q retrieval.Query) error {
	if r.caller.Seen == nil {
		return nil
	}
	var units []retrieval.Hit
	day := q.Scope.AsOf.On(r.now())
	for i := range hits {
		if hits[i].Kind != statute.Chunk {
			units = append(units, hits[i])
			continue
		}
		for _, id := range hits[i].Units {
			u, l, err := r.kit.Book.Unit(ctx, q.Scope.Collections, id, day)
			switch {
			case errors.Is(err, book.ErrNotFound): // replaced since it was indexed
			case err != nil:
				return fmt.Errorf("read the articles of a passage: %w", err)
			default:
				units = append(units, hitOf(u, l, day))
			}
		}
	}
	r.seen(units...)
	return nil
}
