package tools

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/verify"
)

// Bounds of what is checked, and of what is told of it.
const (
	maxChecked  = 20_000 // characters
	maxEvidence = 50
	maxFindings = 40
)

type checkIn struct {
	Text string `json:"text" jsonschema:"required" jsonschema_description:"要核对的文字，其中的法条引用和引文会逐一核对"`
	AsOf string `json:"as_of,omitempty" jsonschema_description:"按哪一天有效的法律，如 2020-06-01；any=不限；不写=今天"`
}

type verifyIn struct {
	Question string   `json:"question" jsonschema:"required" jsonschema_description:"回答的是什么问题"`
	Answer   string   `json:"answer" jsonschema:"required" jsonschema_description:"准备发出的回答全文"`
	Evidence []string `json:"evidence,omitempty" jsonschema_description:"回答所依据法条的 id（检索和 get_article 给出的）；给出后，回答引用其他法条会被指出"`
	AsOf     string   `json:"as_of,omitempty" jsonschema_description:"按哪一天有效的法律，如 2020-06-01；不写=今天"`
}

// finding is what a model needs of a verify.Finding.
type finding struct {
	Text       string          `json:"text"`
	Verdict    verify.Verdict  `json:"verdict"`
	Severity   verify.Severity `json:"severity"`
	ID         string          `json:"id,omitempty"`
	Name       string          `json:"name,omitempty"`
	Suggestion string          `json:"suggestion,omitempty"`
	Diff       []verify.Edit   `json:"diff,omitempty"`
	Note       string          `json:"note,omitempty"`
}

type checkOut struct {
	OK       bool      `json:"ok"`
	Checked  int       `json:"checked"`
	Exist    []string  `json:"exist,omitempty"` // ids of the articles that were named and exist
	Findings []finding `json:"findings"`        // what did not pass
	Next     string    `json:"next"`
}

func (r *runner) checkCitations() *typed[checkIn] {
	return newTool("check_citations", "逐一核对一段文字里的法条引用和引文：是否存在、是否有效、引文是否与原文一字不差、数字是否有出处。不调用语言模型，结果确定。",
		func(ctx context.Context, in checkIn) (any, error) {
			return r.check(ctx, "text", in.AsOf, verify.Draft{Text: in.Text})
		})
}

func (r *runner) verifyAnswer() *typed[verifyIn] {
	return newTool("verify_answer", "在回答发出之前核对全文：引用的法条是否存在、有效、在所给依据之内，引文是否逐字，数字是否有出处。没有通过的地方要改正或删去。",
		func(ctx context.Context, in verifyIn) (any, error) {
			if len(in.Evidence) > maxEvidence {
				return nil, problem("evidence 有 %d 条，最多 %d 条：只给回答用到的。", len(in.Evidence), maxEvidence)
			}
			day, err := r.day(in.AsOf)
			if err != nil {
				return nil, err
			}
			d := verify.Draft{Text: in.Answer, Question: in.Question}
			for _, id := range in.Evidence {
				u, l, err := r.kit.Book.Unit(ctx, r.collections, strings.Trim(id, "[]【】 "), day)
				switch {
				case errors.Is(err, book.ErrNotFound):
					return nil, problem("evidence 里的 %q 不是已收录法条的 id：照抄检索结果里的 id。", head(id))
				case err != nil:
					return nil, err
				}
				d.Evidence = append(d.Evidence, verify.Evidence{ID: u.ID, Law: l.Title, Text: u.Text})
			}
			return r.check(ctx, "answer", in.AsOf, d)
		})
}

func (r *runner) check(ctx context.Context, param, asOfText string, d verify.Draft) (*checkOut, error) {
	switch n := utf8.RuneCountInString(d.Text); {
	case strings.TrimSpace(d.Text) == "":
		return nil, problem("%s 是空的：写要核对的文字。", param)
	case n > maxChecked:
		return nil, problem("%s 有 %d 字，最多 %d 字：分几次核对。", param, n, maxChecked)
	}
	asOf, err := r.asOf(asOfText)
	if err != nil {
		return nil, err
	}
	d.Collections, d.Day, d.AnyDay = r.collections, asOf.On(r.now()), asOf.Any
	report, err := r.kit.Check.Check(ctx, d)
	if err != nil {
		return nil, err
	}
	return summary(report), nil
}

// summary tells what did not pass, and what to do about it.
func summary(report *verify.Report) *checkOut {
	out := &checkOut{OK: report.OK, Checked: len(report.Findings), Findings: []finding{}}
	seen := map[string]bool{}
	unsupported := false
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Severity == verify.Fine {
			if f.Kind == verify.Reference && f.ID != "" && !seen[f.ID] {
				seen[f.ID] = true
				out.Exist = append(out.Exist, f.ID)
			}
			continue
		}
		unsupported = unsupported || f.Severity == verify.Unsupported
		if len(out.Findings) < maxFindings {
			g := finding{head(f.Text), f.Verdict, f.Severity, f.ID, "", f.Suggestion, f.Diff, f.Note}
			if f.Law != "" {
				g.Name = name(f.Law, f.Label)
			}
			out.Findings = append(out.Findings, g)
		}
	}
	switch {
	case !out.OK:
		out.Next = "severity 为 false 的与法条不符：按 note、diff、suggestion 改正或删去，再核对一次。"
	case unsupported:
		out.Next = "severity 为 unsupported 的在已收录的法条里没有依据：补上依据，或者删去。"
	case out.Checked == 0:
		out.Next = "没有发现法条引用、引文或数字，没有什么可核对。"
	default:
		out.Next = "全部通过。"
	}
	return out
}
