package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/eino/schema"

	llm "lexagent/model"
	"lexagent/prompts"
	"lexagent/verify"
)

// writeInline streams a draft through the deterministic gate: each sentence leaves as
// soon as it is whole and has passed, one that fails is left out. What has left can't be
// taken back, so there is one round; the review follows as a note.
func (g *Graph) writeInline(ctx context.Context, j *job) (string, error) {
	within, cancel := withReserve(ctx)
	defer cancel()
	stream, failed, err := ask(ctx, within, g, j, g.o.LLM.Stream)
	if err != nil || failed != "" {
		return failed, err
	}
	defer stream.Close()
	in := &inline{graph: g, job: j}
	failure, err := in.read(ctx, stream)
	if err != nil {
		return "", err
	}
	j.draft = in.sent.String()
	switch {
	case in.noAnswer && j.draft == "":
		return g.declined(ctx, j)
	case j.draft == "" && failure != "":
		return j.giveUp("语言模型" + failure), nil
	case j.draft == "":
		return j.giveUp("语言模型的回答没有可核实的法条依据"), nil
	case failure != "":
		j.notes = append(j.notes, "语言模型"+failure+"，回答可能不完整。")
	}
	j.inline = in
	return fmt.Sprintf("%d 字", utf8.RuneCountInString(j.draft)), nil
}

// inline is a draft on its way out, sentence by sentence.
type inline struct {
	graph    *Graph
	job      *job
	raw      strings.Builder // not yet judged
	all      int             // characters received
	sent     strings.Builder
	removed  []string
	cited    bool // a sentence that cites the evidence has left
	held     string
	noAnswer bool
	finished bool // the stream said that it is whole
}

// read reads a stream to its end. failure is what ended it early, for a reader.
func (in *inline) read(ctx context.Context, stream *schema.StreamReader[*schema.Message]) (failure string, err error) {
	for {
		msg, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return in.end(ctx)
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			return llm.LLMFailure(err), in.rest(ctx)
		}
		if m := msg.ResponseMeta; m != nil {
			in.finished = in.finished || m.FinishReason != ""
			in.job.cut = in.job.cut || llm.OutOfRoom(msg)
		}
		if m := msg.ResponseMeta; m != nil && m.Usage != nil {
			in.job.usage.Add(Usage{PromptTokens: m.Usage.PromptTokens, CompletionTokens: m.Usage.CompletionTokens})
		}
		in.all += utf8.RuneCountInString(msg.Content)
		in.raw.WriteString(msg.Content)
		if in.all > maxDraftRunes {
			in.job.cut = true
			return in.end(ctx)
		}
		if strings.ContainsAny(msg.Content, "。！？；\n]") {
			if err := in.judge(ctx, false); err != nil {
				return "", err
			}
		}
	}
}

// end judges what is left of a stream that has ended.
func (in *inline) end(ctx context.Context) (failure string, err error) {
	if !in.finished && !in.job.cut {
		failure = "的回复中途断开"
	}
	return failure, in.rest(ctx)
}

// rest judges what is left of a stream, without half a sentence at its end.
func (in *inline) rest(ctx context.Context) error {
	if !in.finished || in.job.cut {
		rest := llm.WholeSentences(in.raw.String())
		if !strings.ContainsAny(rest, "。！？\n") && in.sent.Len()+len(in.held) > 0 {
			rest = ""
		}
		in.raw.Reset()
		in.raw.WriteString(rest)
	}
	return in.judge(ctx, true)
}

// judge sends the whole sentences that pass. The last one may still grow, or be
// followed by its citation: it waits unless the stream has ended. Text before the first
// citation is held too, so that an answer without grounds does not leave.
func (in *inline) judge(ctx context.Context, last bool) error {
	text, thought, unopened := llm.SplitReasoning(in.raw.String())
	if unopened {
		in.held = ""
	}
	text = promptMarks.Replace(text)
	if strings.Contains(text, prompts.NoAnswer) {
		in.noAnswer = true
		text, last = "", true
	}
	parts := verify.Sentences(text)
	in.raw.Reset()
	if n := len(parts); n > 0 && !last {
		in.raw.WriteString(parts[n-1])
		parts = parts[:n-1]
	}
	if !last {
		in.raw.WriteString(thought)
	}
	for _, s := range parts {
		if err := in.sentence(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (in *inline) sentence(ctx context.Context, s string) error {
	if clean, dropped := prompts.Clean(s, in.job.told, in.job.shown()); len(dropped) > 0 {
		in.job.removed = append(in.job.removed, dropped...)
		in.job.cleaned += len(dropped)
		s = clean
	}
	findings, doubts, err := in.examine(ctx, s)
	if err != nil {
		return err
	}
	kept, removed := verify.Gate(s, append(findings, doubts...))
	in.removed = append(in.removed, removed...)
	if len(removed) > 0 {
		in.job.fallen = append(in.job.fallen, fallen(append(findings, doubts...))...)
	}
	if strings.TrimSpace(kept) == "" {
		return nil
	}
	if len(removed) == 0 {
		kept = s // with its white space
	}
	in.held += withNames(kept, in.job.evidence, findings)
	in.cited = in.cited || len(citations(findings, in.job.evidence)) > 0
	if !in.cited {
		return nil
	}
	text := in.held
	if in.sent.Len() == 0 {
		text = strings.TrimLeft(text, " \n")
	}
	in.held = ""
	in.sent.WriteString(text)
	in.job.emit(Text{Text: text})
	return nil
}

// examine holds a sentence against the book as the end of what came before it: 第九条 alone
// is of the law named there. Places are in the sentence.
func (in *inline) examine(ctx context.Context, s string) (findings, doubts []verify.Finding, err error) {
	before := in.sent.String() + in.held
	all, err := in.graph.check(ctx, in.job, before+s)
	if err != nil {
		return nil, nil, err
	}
	from := utf8.RuneCountInString(before)
	for _, f := range all {
		if f.Start >= from {
			f.Start, f.End = f.Start-from, f.End-from
			findings = append(findings, f)
		}
	}
	doubts, err = in.graph.doubts(ctx, in.job, s, findings)
	return findings, doubts, err
}

// finishInline makes the attempt of what has left.
func (g *Graph) finishInline(ctx context.Context, j *job) (string, error) {
	j.next = "settle"
	findings, doubts, err := g.examine(ctx, j, j.draft)
	if err != nil {
		return "", err
	}
	a := &attempt{kind: Generated, text: j.draft, evidence: j.evidence, citations: citations(findings, j.evidence), removed: j.inline.removed, doubtful: doubts, cut: j.cut, cleaned: j.cleaned}
	a.record = g.record(j, Generated, findings, doubts)
	j.removed = append(j.removed, a.removed...)
	if err := g.review(ctx, j, a); err != nil {
		return "", err
	}
	j.best = a
	return fmt.Sprintf("核对 %d 处", len(findings)), nil
}

// draftTokens is the bound of a draft.
func (g *Graph) draftTokens(j *job) int {
	if j.request.MaxTokens > 0 {
		return min(g.o.MaxTokens, j.request.MaxTokens)
	}
	return g.o.MaxTokens
}
