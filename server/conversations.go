package server

import (
	"context"
	"errors"
	"time"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/graph"
	"lexagent/state"
)

const conversationHeader = "X-Conversation-Id"

// talk is the conversation that a chat request belongs to. The zero value is none.
type talk struct {
	id, owner string
	recalled  int  // earlier turns that the answer was given
	lost      bool // the memory was out of reach
}

// remembered tells the client about its conversation.
type remembered struct {
	ID       string `json:"id"`
	Recalled int    `json:"recalled"` // earlier turns that the answer took into account
	Memory   string `json:"memory"`   // "kept", or "lost" while the store is out of reach
}

// recall reads which conversation a request belongs to and, where the request brings
// no history of its own, what was said in it before.
func (s *Server) recall(c context.Context, ctx *app.RequestContext, r *chatRequest, g *graph.Request) (talk, error) {
	t := talk{id: string(ctx.GetHeader(conversationHeader)), owner: owner(ctx)}
	if t.id == "" {
		return talk{}, nil
	}
	if !plainID(t.id) {
		return t, badParam(conversationHeader, "a conversation's id has letters, digits, dots, - and _ only, at most %d of them", maxRequestID)
	}
	ctx.Header(conversationHeader, t.id)
	if r.turns() > 1 {
		return t, nil
	}
	turns, err := s.o.State.Turns(c, t.owner, t.id)
	switch {
	case errors.Is(err, state.ErrNone):
		return t, nil
	case err != nil:
		t.lost = true
		s.memoryLost(ctx, err)
		return t, nil
	}
	for _, turn := range turns {
		g.History = append(g.History, graph.Turn{Role: turn.Role, Text: turn.Text})
	}
	t.recalled = len(turns)
	return t, nil
}

// turns counts the messages of people and of the assistant.
func (r *chatRequest) turns() (n int) {
	for _, m := range r.Messages {
		if m.Role == "user" || m.Role == "assistant" {
			n++
		}
	}
	return n
}

// memoryNote is what an answer says when it could not be remembered, or had to be
// made without what was said before.
const memoryNote = "会话记忆暂时不可用：之前的对话可能没有被参考，本次问答也可能没有被记住。"

// remember adds question and answer to the conversation. Where that fails, the
// answer says so.
func (k *call) remember(c context.Context, question string, a *graph.Answer) {
	t := &k.talk
	if t.id == "" {
		return
	}
	now := k.s.o.Now()
	reply := state.Turn{Role: "assistant", Text: a.Text, At: now, Answer: k.id}
	for i := range a.Citations {
		reply.Citations = append(reply.Citations, a.Citations[i].ID)
	}
	// The answer is made: one whose reader has just left is remembered too.
	c, cancel := context.WithTimeout(context.WithoutCancel(c), rememberTime)
	defer cancel()
	asked := state.Turn{Role: "user", Text: question, At: k.start}
	if err := k.s.o.State.Append(c, t.owner, t.id, k.s.live().Retention, asked, reply); err != nil {
		t.lost = true
		k.s.memoryLost(k.ctx, err)
	}
	if t.lost {
		a.Notes = append(a.Notes, memoryNote)
	}
}

const rememberTime = 2 * time.Second

// echo tells the client about its conversation, or nil where there is none.
func (t *talk) echo() *remembered {
	if t.id == "" {
		return nil
	}
	memory := "kept"
	if t.lost {
		memory = "lost"
	}
	return &remembered{t.id, t.recalled, memory}
}

func (s *Server) memoryLost(ctx *app.RequestContext, err error) {
	s.metrics.lost.WithLabelValues("conversations").Inc()
	s.o.Logger.Warn("conversations are out of reach", "request_id", requestID(ctx), "error", err)
}

// conversationTurn is a message as the chat protocol has it, and where it comes from.
type conversationTurn struct {
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	CreatedAt time.Time `json:"created_at"`
	AnswerID  string    `json:"answer_id,omitempty"` // of the chat completion
	Citations []string  `json:"citations,omitempty"` // ids of the articles that the answer rests on
}

// exportConversation answers GET /v1/conversations/{id}.
func (s *Server) exportConversation(c context.Context, ctx *app.RequestContext) error {
	id := ctx.Param("id")
	turns, err := s.o.State.Turns(c, owner(ctx), id)
	if err != nil {
		return err
	}
	messages := make([]conversationTurn, len(turns))
	for i, t := range turns {
		messages[i] = conversationTurn{t.Role, t.Text, t.At, t.Answer, t.Citations}
	}
	return writeJSON(ctx, 200, struct {
		ID       string             `json:"id"`
		Object   string             `json:"object"`
		Messages []conversationTurn `json:"messages"`
	}{id, "conversation", messages})
}

// deleteConversation answers DELETE /v1/conversations/{id}.
func (s *Server) deleteConversation(c context.Context, ctx *app.RequestContext) error {
	id := ctx.Param("id")
	if err := s.o.State.Forget(c, owner(ctx), id); err != nil {
		return err
	}
	return writeJSON(ctx, 200, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "conversation.deleted", true})
}
