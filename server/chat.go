package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/graph"
)

// call is one chat request on its way.
type call struct {
	s        *Server
	ctx      *app.RequestContext
	r        *chatRequest
	echo     scopeEcho
	answerer Answerer
	id       string
	talk     talk
	start    time.Time // as Options.Now has it
	begun    time.Time // by the clock
	base     string    // where readers reach the page
	paid     bool      // a language model was called, so a retry would pay again
}

// chat answers POST /v1/chat/completions.
func (s *Server) chat(c context.Context, ctx *app.RequestContext) error {
	if err := requireJSON(ctx); err != nil {
		return err
	}
	r, g, err := decodeChat(bodyOf(ctx))
	if err != nil {
		return err
	}
	answerer, err := s.answerer(r.Model)
	if err != nil {
		return err
	}
	c, done, err := s.take(c, s.answers, s.o.AnswerTimeout)
	if err != nil {
		return err
	}
	defer done()
	if g.Scope.Collections, err = visible(ctx, r.Collections); err != nil {
		return err
	}
	t, err := s.recall(c, ctx, r, &g)
	if err != nil {
		return err
	}
	now := s.o.Now()
	k := &call{s: s, ctx: ctx, r: r, answerer: answerer, echo: echoOf(g.Scope, g.Mode, g.By, now), id: "chatcmpl-" + requestID(ctx), talk: t, start: now, begun: time.Now(), base: s.baseURL(ctx)}
	if r.Stream {
		return k.stream(c, g)
	}
	return k.whole(c, g)
}

// baseURL is where the reader reaches the page.
func (s *Server) baseURL(ctx *app.RequestContext) string {
	if s.live().PublicURL != "" {
		return strings.TrimRight(s.live().PublicURL, "/")
	}
	return "http://" + string(ctx.Host())
}

// whole answers with one JSON object.
func (k *call) whole(c context.Context, g graph.Request) error {
	a, err := k.answerer.Answer(c, g, k.watch)
	if err != nil {
		return k.failed(err)
	}
	k.settle(c, g.Question, a)
	return writeJSON(k.ctx, 200, completion{
		ID: k.id, Object: "chat.completion", Created: k.start.Unix(), Model: k.r.Model,
		Choices: []choice{{
			Message:      replyMessage{Role: "assistant", Content: k.s.content(a), Annotations: annotations(a, k.base)},
			FinishReason: finishReason(a),
		}},
		Usage:     usageOf(a.LLM),
		extension: k.extension(a),
	})
}

// content is the answer as a plain chat client shows it.
func (s *Server) content(a *graph.Answer) string {
	if s.live().Disclaimer == "" {
		return a.Full()
	}
	return a.Full() + "\n\n" + s.live().Disclaimer
}

// settle does what is due when an answer is made and before it is told.
func (k *call) settle(c context.Context, question string, a *graph.Answer) {
	k.s.metrics.answer(a)
	k.audit(a)
	k.remember(c, question, a)
	k.s.spend(c, k.ctx, a.LLM.PromptTokens+a.LLM.CompletionTokens)
}

// extension gathers our fields of the answer.
func (k *call) extension(a *graph.Answer) extension {
	x := extensionOf(a, k.echo, k.s.o.Now().Sub(k.start))
	x.Lexagent.Conversation = k.talk.echo()
	return x
}

// first measures how long the reader of a stream waited.
func (k *call) first(what string) {
	k.s.metrics.first.WithLabelValues(what).Observe(time.Since(k.begun).Seconds())
}

// watch notes when the language model comes into play.
func (k *call) watch(e graph.Event) {
	k.s.metrics.event(e)
	if st, ok := e.(graph.StepStarted); ok && (st.Step == graph.Draft || st.Step == graph.Plan) && k.r.Model != modelSearch {
		k.paid = true
	}
}

// failed marks the response of an answer that failed: OpenAI's clients repeat
// requests by themselves, and should not where that costs another model call.
func (k *call) failed(err error) error {
	if k.paid {
		k.ctx.Header("X-Should-Retry", "false")
	}
	return err
}

// stream answers chunk by chunk.
func (k *call) stream(c context.Context, g graph.Request) error {
	if k.r.Resumable {
		making, stop := context.WithTimeout(context.WithoutCancel(c), k.s.o.AnswerTimeout)
		defer stop()
		defer context.AfterFunc(k.s.base, stop)()
		if r := k.s.relays.open(owner(k.ctx), k.s.o.ResumeWithin, stop); r != nil {
			return k.streamResumable(c, r, making, func(c context.Context, out sink) error { return k.write(c, g, out) })
		}
	}
	c, cancel := context.WithCancel(c)
	defer cancel()
	out := newStream(k.ctx, cancel, k.s.o.Heartbeat)
	defer out.close()
	err := k.write(c, g, out)
	if err == nil {
		return nil
	}
	if !out.end() {
		return k.failed(err) // nothing is sent yet: a plain response with its own status
	}
	p := k.s.problemOf(c, k.ctx, err)
	if p.Status == statusLeft {
		return nil
	}
	if err := out.send(p); err != nil {
		k.s.o.Logger.Info("the client left before the error", "request_id", requestID(k.ctx))
	}
	return nil
}

// write makes the answer and writes it to out as it comes.
func (k *call) write(c context.Context, g graph.Request, out sink) error {
	w := &answerWriter{out: out, chunks: chunks{id: k.id, model: k.r.Model, created: k.start.Unix(), usage: k.r.StreamOptions.IncludeUsage}, echo: k.echo, first: k.first}
	a, err := k.answer(c, g, w)
	if err != nil {
		return err
	}
	k.settle(c, g.Question, a)
	return w.finish(k.s.content(a), a, k.extension(a), annotations(a, k.base))
}

// answer runs the answerer. A panic in it becomes an error, since a stream that
// began can't be given another status.
func (k *call) answer(c context.Context, g graph.Request, w *answerWriter) (a *graph.Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			k.s.logPanic(k.ctx, r)
			err = internalProblem(k.ctx)
		}
	}()
	a, err = k.answerer.Answer(c, g, func(e graph.Event) {
		k.watch(e)
		w.event(e)
	})
	if err == nil {
		err = w.err
	}
	return a, err
}

// answerWriter turns the events of one answer into chunks.
type answerWriter struct {
	out    sink
	chunks chunks
	echo   scopeEcho
	began  bool
	text   strings.Builder   // the content sent so far
	first  func(what string) // is told of the first progress and the first text
	err    error             // the first failure; nothing is sent after it
}

func (w *answerWriter) send(c chunk) {
	if w.err == nil {
		w.err = w.out.send(c)
	}
}

// begin sends the first chunk: the role, and how the request was understood.
func (w *answerWriter) begin() {
	if w.began {
		return
	}
	w.began = true
	w.first("progress")
	about, err := encode(struct {
		Type string `json:"type"`
		scopeEcho
	}{"request", w.echo})
	if err != nil {
		w.err = err
		return
	}
	empty := ""
	c := w.chunks.chunk(chunkChoice{Delta: delta{Role: "assistant", Content: &empty}})
	c.Lexagent = about
	w.send(c)
}

// event forwards one event. Done is not sent: finish sends what it holds.
func (w *answerWriter) event(e graph.Event) {
	switch e := e.(type) {
	case graph.Done:
		return
	case graph.Text:
		if e.Text == "" {
			return
		}
		w.begin()
		if w.text.Len() == 0 {
			w.first("text")
		}
		w.text.WriteString(e.Text)
		w.send(w.chunks.text(e.Text))
	default:
		b, err := graph.MarshalEvent(e)
		if err != nil {
			w.err = fmt.Errorf("encode event: %w", err)
			return
		}
		w.begin()
		w.send(w.chunks.progress(json.RawMessage(b)))
	}
}

// errStreamed is returned when the text that was streamed is not the answer's.
var errStreamed = errors.New("the streamed text is not the answer's")

// finish sends what of the content is missing, the last chunk, the usage if it
// was asked for, and the end.
func (w *answerWriter) finish(content string, a *graph.Answer, x extension, notes []annotation) error {
	rest, ok := strings.CutPrefix(content, w.text.String())
	if !ok {
		return errStreamed
	}
	w.begin()
	if rest != "" {
		w.send(w.chunks.text(rest))
	}
	stop := finishReason(a)
	last := w.chunks.chunk(chunkChoice{Delta: delta{Annotations: notes}, FinishReason: &stop})
	last.lastPart = &lastPart{x.Citations, x.Verification}
	var err error
	if last.Lexagent, err = encode(x.Lexagent); err != nil {
		return err
	}
	w.send(last)
	if w.chunks.usage {
		u := w.chunks.chunk()
		if u.Usage, err = encode(usageOf(a.LLM)); err != nil {
			return err
		}
		w.send(u)
	}
	if w.err != nil {
		return w.err
	}
	return w.out.sendRaw(endOfStream)
}
