package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lexagent/ingest/ingesttest"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// newKit is a kit over a real book and index of the laws in testdata: a public
// collection, and one of a firm that cites it.
func newKit(t *testing.T) *Kit {
	t.Helper()
	b, store := ingesttest.Open(t, ingesttest.Source{Collection: "public", Paths: []string{"testdata/public"}}, ingesttest.Source{Collection: "firm", Paths: []string{"testdata/firm"}})
	now := func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) }
	return &Kit{
		Search: &retrieval.Engine{Book: b, Store: store, Now: now}, Book: b, Now: now,
		Check: &verify.Checker{Book: b, Words: verify.Index{Store: store}},
	}
}

// call runs a tool for a caller.
func call(t *testing.T, k *Kit, c Caller, name, arguments string) (string, error) {
	t.Helper()
	for _, tool := range k.For(c) {
		if info, err := tool.Info(t.Context()); err != nil || info.Name != name {
			continue
		}
		return tool.InvokableRun(t.Context(), arguments)
	}
	t.Fatalf("there is no tool %s", name)
	return "", nil
}

var firm = Caller{Scope: retrieval.Scope{Collections: []string{"public", "firm"}}}

func TestTools(t *testing.T) {
	k := newKit(t)
	for _, c := range []struct {
		tool, arguments string
		caller          Caller
		want            []string // in the result
		not             []string
	}{
		{"search_statutes", `{"query":"试用期最长多久","k":2}`, Caller{}, []string{`"id":"示范用工条例@2022-03-01:3"`, `"name":"《示范用工条例》第三条"`, `"status":"in_force"`, "只能约定一次试用期"}, []string{"2018-05-02", "考勤"}},
		{"search_statutes", `{"query":"试用期最长多久","k":"2","as_of":"2019-01-01"}`, Caller{}, []string{`示范用工条例@2018-05-02:3`}, []string{"2022-03-01"}},
		{"search_statutes", `{"query":"试用期","granularity":"chunk"}`, Caller{}, []string{`"articles":[`}, nil},
		{"search_statutes", `{"query":"迟到三次扣奖金"}`, Caller{}, nil, []string{"考勤"}},
		{"search_statutes", `{"query":"试用期","levels":[5]}`, Caller{}, []string{`"hits":[]`, "换一种说法"}, nil},
		{"search_documents", `{"query":"迟到三次扣奖金"}`, firm, []string{"某公司考勤办法"}, []string{"示范登记办法"}},
		{"get_article", `{"article":"示范用工条例:3"}`, Caller{}, []string{`"id":"示范用工条例@2022-03-01:3"`, `三年以上的，试用期不得超过六个月。\n同一用人单位`}, []string{"before"}},
		{"get_article", `{"article":"《示范用工条例》第三条","neighbours":1}`, Caller{}, []string{`"before":[{"id":"示范用工条例@2022-03-01:2"`, `"after":[{"id":"示范用工条例@2022-03-01:4"`}, nil},
		{"get_article", `{"article":"[示范用工条例@2018-05-02:3]"}`, Caller{}, []string{`"status":"superseded"`, "二个月"}, nil},
		{"get_article", `{"article":"示范用工条例第3条","as_of":"2020-01-01"}`, Caller{}, []string{"2018-05-02:3"}, nil},
		{"get_article", `{"article":"示范用工条例第三条、第九十九条"}`, Caller{}, []string{"2022-03-01:3", "没有第九十九条", "最后一条是第八条", "list_law"}, nil},
		{"list_law", `{"law":"示范用工条例"}`, Caller{}, []string{`"units":8`, `{"heading":"第二章 试用期","first":"第三条","last":"第四条","first_id":"示范用工条例@2022-03-01:3","units":2}`}, nil},
		{"list_law", `{"law":"《示范用工条例》","section":"试用期"}`, Caller{}, []string{`"label":"第四条"`}, []string{"第五条"}},
		{"list_law", `{"law":"示范登记办法"}`, Caller{}, []string{`"label":"第四条"`}, []string{"sections"}},
		{"trace_citations", `{"article":"示范用工条例:3"}`, Caller{}, []string{`{"from":"示范用工条例@2022-03-01:7","to":"示范用工条例@2022-03-01:3","kind":"cites"`, "一万元以下罚款"}, []string{"考勤"}},
		{"trace_citations", `{"article":"示范用工条例:3","direction":"in"}`, firm, []string{"某公司考勤办法"}, nil},
		{"trace_citations", `{"article":"示范用工条例:7","depth":2}`, firm, []string{"示范用工条例@2022-03-01:3", "某公司考勤办法"}, nil},
		{"law_status", `{"law":"示范用工条例"}`, Caller{}, []string{`"status":"in_force"`, `"versions":[{"id":"示范用工条例@2018-05-02"`, `"status":"superseded","effective":"2018-07-01","ended":"2022-07-01"`}, nil},
		{"law_status", `{"law":"示范用工条例@2018-05-02"}`, Caller{}, []string{`"successor":{"id":"示范用工条例@2022-03-01"`}, nil},
		{"law_status", `{"law":"示范备案规定"}`, Caller{}, []string{`"status":"repealed"`, "2019-03-01", `"successor":{"id":"示范登记办法@2019-01-02"`}, nil},
		{"check_citations", `{"text":"《示范用工条例》第三条规定：“劳动合同期限三个月以上不满一年的，试用期不得超过二个月。”"}`, Caller{}, []string{`"ok":false`, `"verdict":"not_in_force"`, "示范用工条例@2022-03-01:3", "改正或删去"}, nil},
		{"check_citations", `{"text":"见《示范登记办法》第二条。"}`, Caller{}, []string{`"ok":true`, `"exist":["示范登记办法@2019-01-02:2"]`, "全部通过"}, nil},
		{"check_citations", `{"text":"你好"}`, Caller{}, []string{`"checked":0`, "没有什么可核对"}, nil},
		{"verify_answer", `{"question":"多久","answer":"三十日（《示范登记办法》第二条）。","evidence":["示范登记办法:2"]}`, Caller{}, []string{`"ok":true`, "全部通过"}, nil},
		{"verify_answer", `{"question":"多久","answer":"三十日（《示范登记办法》第三条）。","evidence":["[示范登记办法:2]"]}`, Caller{}, []string{`"verdict":"not_in_evidence"`}, nil},
	} {
		t.Run(c.tool+" "+c.arguments, func(t *testing.T) {
			got, err := call(t, k, c.caller, c.tool, c.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid([]byte(got)) || strings.Contains(got, "\n") {
				t.Errorf("not one line of JSON: %s", got)
			}
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("lacks %s\n%s", w, got)
				}
			}
			for _, n := range c.not {
				if strings.Contains(got, n) {
					t.Errorf("has %s\n%s", n, got)
				}
			}
		})
	}
}

// What a model did wrong is told it with what to do next.
func TestProblemsSayWhatToDo(t *testing.T) {
	k := newKit(t)
	for _, c := range []struct{ tool, arguments, want string }{
		{"search_statutes", `{"query":" "}`, "写一句要查的问题"},
		{"search_statutes", `{"query":"试用期","k":21}`, "1 到 20"},
		{"search_statutes", `{"query":"试用期","k":"many"}`, "参数 k 的类型不对"},
		{"search_statutes", `{"query":"试用期","k":-1}`, "1 到 20"},
		{"search_statutes", `{"query":"试用期","date":"2020-01-01"}`, `没有参数 "date"。参数有：query（必填）、k、`},
		{"search_statutes", `{"query":"试用期"`, "不是合法的 JSON"},
		{"search_statutes", `["试用期"]`, "不是合法的 JSON 对象"},
		{"search_statutes", `{"query":"试用期"} 好的`, "后面不能再有文字"},
		{"search_statutes", ``, "query 是空的"},
		{"search_statutes", `{"query":"试用期","as_of":"去年"}`, "2021-01-01"},
		{"search_statutes", `{"query":"试用期","levels":[9]}`, "只有 0 到 6"},
		{"search_statutes", `{"query":"试用期","granularity":"law"}`, "article、chunk 或 dual"},
		{"search_documents", `{"query":"试用期"}`, "请用 search_statutes"},
		{"get_article", `{"article":"示范用工条例:99"}`, "最后一条是第八条"},
		{"get_article", `{"article":"示范用工条例第九十九条"}`, "不要猜条号"},
		{"get_article", `{"article":"示范用工法第三条"}`, "没有收录《示范用工法》"},
		{"get_article", `{"article":"示范用工条例"}`, "写明条号"},
		{"get_article", `{"article":"示范备案规定第三条"}`, "取代"},
		{"get_article", `{"article":"试用期的那条"}`, "search_statutes"},
		{"get_article", `{"article":"某公司考勤办法:1"}`, "没有收录"}, // another's collection
		{"get_article", `{"article":""}`, "article 是空的"},
		{"get_article", `{"article":"示范用工条例:3","neighbours":9}`, "0 到 3"},
		{"list_law", `{"law":"用工"}`, "《示范用工条例》"},
		{"list_law", `{"law":"示范用工条例","section":"附则"}`, "不带 section"},
		{"list_law", `{"law":"某公司考勤办法"}`, "没有收录"},
		{"list_law", `{"law":"示范备案规定"}`, "示范登记办法"},
		{"law_status", `{"law":""}`, "law 是空的"},
		{"trace_citations", `{"article":"示范用工条例:3","depth":3}`, "1 或 2"},
		{"trace_citations", `{"article":"示范用工条例:3","direction":"up"}`, "in、out 或 both"},
		{"trace_citations", `{"article":"示范用工条例:33"}`, "没有第三十三条"},
		{"check_citations", `{"text":""}`, "text 是空的"},
		{"check_citations", `{"text":"` + strings.Repeat("法", maxChecked+1) + `"}`, "分几次核对"},
		{"verify_answer", `{"question":"q","answer":"a","evidence":["民法典:1"]}`, "照抄检索结果里的 id"},
	} {
		t.Run(c.tool+" "+head(c.arguments), func(t *testing.T) {
			_, err := call(t, k, Caller{}, c.tool, c.arguments)
			var p *Problem
			if !errors.As(err, &p) || !strings.Contains(Tell(err), c.want) {
				t.Errorf("got %v, want a problem with %q", err, c.want)
			}
		})
	}
}

// What tools have shown is told, whole units only: it is what an answer may rest on.
func TestSeen(t *testing.T) {
	k := newKit(t)
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{"get_article", `{"article":"示范用工条例:7","neighbours":1}`, []string{"示范用工条例@2022-03-01:7", "示范用工条例@2022-03-01:6", "示范用工条例@2022-03-01:8"}},
		{"search_statutes", `{"query":"示范登记办法第二条","k":1}`, []string{"示范登记办法@2019-01-02:2"}},
		{"search_statutes", `{"query":"申请登记三十日","k":1,"granularity":"chunk"}`, []string{"示范登记办法@2019-01-02:1", "示范登记办法@2019-01-02:2", "示范登记办法@2019-01-02:3", "示范登记办法@2019-01-02:4"}},
		{"list_law", `{"law":"示范用工条例"}`, nil},
		{"trace_citations", `{"article":"示范登记办法:3","direction":"out"}`, []string{"示范登记办法@2019-01-02:3", "示范用工条例@2022-03-01:2"}},
	} {
		var got []string
		caller := Caller{Seen: func(hits []retrieval.Hit) {
			for _, h := range hits {
				if h.Kind == statute.Chunk || h.Text == "" {
					t.Errorf("%s is no whole unit", h.ID)
				}
				got = append(got, h.ID)
			}
		}}
		if _, err := call(t, k, caller, c.tool, c.arguments); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.tool, c.arguments, got, c.want)
		}
	}
}

// broken is a searcher that fails with a text that must not reach a model.
type broken struct{ err error }

func (b broken) Search(context.Context, retrieval.Query) (*retrieval.Result, error) {
	return nil, b.err
}

func TestFailuresKeepTheirTexts(t *testing.T) {
	k := newKit(t)
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("dial 10.0.0.1: refused, key abc"), "暂时不可用"},
		{context.DeadlineExceeded, "时限"},
		{&retrieval.InputError{Param: "question", Problem: "the question is too long"}, "the question is too long"},
	} {
		k.Search = broken{c.err}
		_, err := call(t, k, Caller{}, "search_statutes", `{"query":"试用期"}`)
		if !errors.Is(err, c.err) || !strings.Contains(Tell(err), c.want) || strings.Contains(Tell(err), "10.0.0.1") {
			t.Errorf("%v: %s", err, Tell(err))
		}
	}
}

// shelf takes in documents.
type shelf struct{ collection, title string }

func (s *shelf) Index(_ context.Context, collection, title, _ string) (int, error) {
	s.collection, s.title = collection, title
	return 1, nil
}

func TestIndexingNeedsItsScope(t *testing.T) {
	k := newKit(t)
	s := &shelf{}
	names := func(c Caller) string {
		var all []string
		for _, tool := range k.For(c) {
			info, err := tool.Info(t.Context())
			if err != nil || utf8.RuneCountInString(info.Desc) < 20 {
				t.Errorf("%+v: %v", info, err)
			}
			all = append(all, info.Name)
		}
		return strings.Join(all, " ")
	}
	may := firm
	may.Ingest = true
	if strings.Contains(names(may), "index_document") {
		t.Error("offered without an indexer")
	}
	k.Indexer = s
	if strings.Contains(names(firm), "index_document") {
		t.Error("offered to a caller without the scope")
	}
	if got, err := call(t, k, may, "index_document", `{"title":" 考勤 办法","text":"第一条 不许迟到。"}`); err != nil || s.collection != "firm" || s.title != "考勤 办法" || !strings.Contains(got, `"units":1`) {
		t.Errorf("%s %v, stored in %q as %q", got, err, s.collection, s.title)
	}
	for arguments, want := range map[string]string{`{"title":"","text":"x"}`: "title", `{"title":"x","text":" "}`: "text 是空的", `{"title":"x","text":"` + strings.Repeat("x", maxDocument+1) + `"}`: "分成几份"} {
		if _, err := call(t, k, may, "index_document", arguments); err == nil || !strings.Contains(Tell(err), want) {
			t.Errorf("%s: %v", head(arguments), err)
		}
	}
	public := Caller{Ingest: true}
	if _, err := call(t, k, public, "index_document", `{"title":"x","text":"x"}`); err == nil || !strings.Contains(Tell(err), "只有公共法规库") {
		t.Errorf("the public collection: %v", err)
	}
}

// However long the texts, a result stays of a size that a small model can read.
func TestResultsAreBounded(t *testing.T) {
	k := newKit(t)
	long := retrieval.Hit{ID: "长法@2020-01-01:1", Kind: statute.Article, Law: "长法", Label: "第一条", Text: strings.Repeat("长", 50_000)}
	k.Search = many{slices.Repeat([]retrieval.Hit{long}, maxHits)}
	got, err := call(t, k, Caller{}, "search_statutes", `{"query":"长","k":20}`)
	if n := utf8.RuneCountInString(got); err != nil || n > maxTextRunes+maxHits*120 || !strings.Contains(got, `"cut":true`) {
		t.Errorf("%d characters, %v", n, err)
	}
}

// many finds these hits for every question.
type many struct{ hits []retrieval.Hit }

func (m many) Search(context.Context, retrieval.Query) (*retrieval.Result, error) {
	return &retrieval.Result{Hits: m.hits}, nil
}
