package server

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
)

// maxRelays bounds the streams that are kept: a stream beyond it can't be resumed.
const maxRelays = 1024

// relay is what an answer streams, kept for a reader that loses the connection. The
// answer goes on while its reader is away, for Options.ResumeWithin.
type relay struct {
	id, owner string
	within    time.Duration
	cancel    context.CancelFunc // ends the making of the answer

	mu      sync.Mutex
	events  [][]byte
	over    bool
	more    chan struct{} // closed when there is more, or the end
	readers int
	away    *time.Timer // runs while nobody reads
}

// relays are the streams that can be resumed. The zero value is ready.
type relays struct {
	mu   sync.Mutex
	byID map[string]*relay
}

// open returns a relay with one reader, nil when too many are kept.
func (k *relays) open(owner string, within time.Duration, cancel context.CancelFunc) *relay {
	r := &relay{id: strings.ToLower(rand.Text()), owner: owner, within: within, cancel: cancel, more: make(chan struct{}), readers: 1}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byID == nil {
		k.byID = map[string]*relay{}
	}
	if len(k.byID) >= maxRelays {
		return nil
	}
	k.byID[r.id] = r
	return r
}

func (k *relays) find(id, owner string) *relay {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.byID[id]; r != nil && r.owner == owner {
		return r
	}
	return nil
}

// keep forgets a relay that is over, when who lost the connection had time to come back.
func (k *relays) keep(r *relay) {
	time.AfterFunc(r.within, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.byID, r.id)
	})
}

// send adds v as the next event.
func (r *relay) send(v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return r.sendRaw(b)
}

func (r *relay) sendRaw(b []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, b)
	r.tell()
	return nil
}

// end says that no event follows.
func (r *relay) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.tell()
}

// tell wakes the readers. r.mu is held.
func (r *relay) tell() {
	close(r.more)
	r.more = make(chan struct{})
}

// join counts a reader, and leave counts one out: the answer ends when nobody came
// back in time.
func (r *relay) join() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers++
	if r.away != nil {
		r.away.Stop()
	}
}

func (r *relay) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers--; r.readers == 0 {
		r.away = time.AfterFunc(r.within, r.cancel)
	}
}

// follow writes the events behind the first n to out, until the last, or until the
// reader is gone.
func (r *relay) follow(c context.Context, out *stream, n int) {
	for {
		r.mu.Lock()
		events, over, more := r.events[min(n, len(r.events)):], r.over, r.more
		r.mu.Unlock()
		for _, b := range events {
			n++
			if out.sendID(r.id+"."+strconv.Itoa(n), b) != nil {
				return
			}
		}
		if over {
			return
		}
		select {
		case <-c.Done():
			return
		case <-out.broken:
			return
		case <-more:
		}
	}
}

// streamResumable answers chunk by chunk through a relay. Its handler stays until the
// answer is over, with or without its reader.
func (k *call) streamResumable(c context.Context, r *relay, making context.Context, ask func(context.Context, sink) error) error {
	out := newStream(k.ctx, func() {}, k.s.o.Heartbeat)
	defer out.close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer r.leave()
		r.follow(c, out, 0)
	}()
	err := ask(making, r)
	if err != nil && len(r.events) > 0 { // nobody else writes
		_ = r.send(k.s.problemOf(making, k.ctx, err)) // a relay takes what encodes, and a problem does
		err = nil
	}
	r.end()
	k.s.relays.keep(r)
	<-read
	if err == nil {
		return nil
	}
	if out.end() { // a heartbeat is out
		return out.send(k.s.problemOf(making, k.ctx, err))
	}
	return k.failed(err)
}

// resume answers GET /v1/chat/streams/{id}: the events of a resumable stream behind
// the one that the header Last-Event-ID names.
func (s *Server) resume(c context.Context, ctx *app.RequestContext) error {
	id := ctx.Param("id")
	n := 0
	if last := string(ctx.GetHeader("Last-Event-ID")); last != "" {
		of, number, _ := strings.Cut(last, ".")
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 0 || of != id {
			return badParam("Last-Event-ID", "%q is no event of this stream", last)
		}
	}
	r := s.relays.find(id, owner(ctx))
	if r == nil {
		return errNoStream
	}
	r.join()
	defer r.leave()
	out := newStream(ctx, func() {}, s.o.Heartbeat)
	defer out.close()
	r.follow(c, out, n)
	return nil
}

// endStream answers DELETE /v1/chat/streams/{id}: its reader wants no more of it.
func (s *Server) endStream(_ context.Context, ctx *app.RequestContext) error {
	r := s.relays.find(ctx.Param("id"), owner(ctx))
	if r == nil {
		return errNoStream
	}
	r.cancel()
	ctx.SetStatusCode(204)
	return nil
}

var errNoStream = &problem{Status: 404, Code: "stream_gone", Message: "there is no such stream, or its time to be resumed is over; ask again"}
