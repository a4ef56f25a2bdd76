package server

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/protocol/sse"
)

// stream writes one answer as server-sent events. It begins with the first thing
// sent, so that an error before that can still be a plain response with its own
// status. Its methods may be called from several goroutines.
type stream struct {
	ctx    *app.RequestContext
	cancel context.CancelFunc // ends the making of the answer when nobody reads it

	mu    sync.Mutex
	w     *sse.Writer // nil before the first byte
	last  time.Time   // of the last byte sent
	broke error       // the first failure to write

	broken chan struct{} // closed at that failure

	once       sync.Once
	stop, done chan struct{} // of the heartbeats
}

// sink takes the events of an answer: a stream, or a relay that can be resumed.
type sink interface {
	send(v any) error
	sendRaw(b []byte) error
}

// newStream starts the heartbeats of a stream. The caller closes it.
func newStream(ctx *app.RequestContext, cancel context.CancelFunc, every time.Duration) *stream {
	s := &stream{ctx: ctx, cancel: cancel, last: time.Now(), broken: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	go s.beat(every)
	return s
}

// beat sends a comment whenever nothing else was sent for so long.
func (s *stream) beat(every time.Duration) {
	defer close(s.done)
	t := time.NewTicker(every / 2)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			if time.Since(s.last) >= every/2 {
				s.write(func() error { return s.w.WriteComment(" keep-alive") })
			}
			s.mu.Unlock()
		}
	}
}

// write runs one write on the writer, which it makes for the first. s.mu is held.
func (s *stream) write(fn func() error) {
	if s.broke != nil {
		return
	}
	if s.w == nil {
		s.ctx.Header("X-Accel-Buffering", "no")
		s.w = sse.NewWriter(s.ctx)
	}
	s.last = time.Now()
	if s.broke = fn(); s.broke != nil {
		close(s.broken)
		s.cancel()
	}
}

// send sends v as one event without a name.
func (s *stream) send(v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return s.sendRaw(b)
}

func (s *stream) sendRaw(b []byte) error { return s.sendID("", b) }

// sendID sends an event by which the stream can be resumed.
func (s *stream) sendID(id string, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(func() error { return s.w.WriteEvent(id, "", b) })
	return s.broke
}

// end stops the heartbeats and reports whether the first byte is out.
func (s *stream) end() (began bool) {
	s.once.Do(func() { close(s.stop) })
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w != nil
}

// close ends the stream.
func (s *stream) close() {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w != nil {
		if err := s.w.Close(); err != nil && s.broke == nil {
			s.broke = err
		}
	}
}

// endOfStream is how OpenAI's streams end.
var endOfStream = []byte("[DONE]")

// chunks makes the chunks of one answer: all carry the same id, time and model.
type chunks struct {
	id, model string
	created   int64
	usage     bool // chunks carry a usage field, null until the last
}

func (k *chunks) chunk(c ...chunkChoice) chunk {
	out := chunk{ID: k.id, Object: "chat.completion.chunk", Created: k.created, Model: k.model, Choices: list(c)}
	if k.usage {
		out.Usage = json.RawMessage("null")
	}
	return out
}

// text is a chunk with a piece of the content.
func (k *chunks) text(piece string) chunk {
	return k.chunk(chunkChoice{Delta: delta{Content: &piece}})
}

// progress is a chunk that says nothing to OpenAI's clients and, in its lexagent
// field, something to ours.
func (k *chunks) progress(event json.RawMessage) chunk {
	c := k.chunk(chunkChoice{})
	c.Lexagent = event
	return c
}
