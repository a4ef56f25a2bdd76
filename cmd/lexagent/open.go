package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"lexagent/agent"
	"lexagent/book"
	"lexagent/graph"
	"lexagent/index"
	"lexagent/ingest"
	"lexagent/model"
	"lexagent/retrieval"
	"lexagent/verify"
)

// system is everything that answers, opened for reading.
type system struct {
	book      *book.Book
	live      live
	encoder   encoder // nil: no dense path
	search    *retrieval.Engine
	cross     string // digest of the cross-encoder, "" = none
	llm       string // name of the language model that searches ask, "" = none
	check     *verify.Checker
	agent     *agent.Agent
	loop      *agent.Loop
	answering graph.Options // of the answer graph, without a language model
	closers   []io.Closer
}

// openSystem opens the book and the index and wires what answers from them. An
// encoder that can't be opened is no failure: warn says why, and words still find.
func (c *config) openSystem(ctx context.Context, warn func(string)) (_ *system, err error) {
	s := &system{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.book, err = book.Open(ctx, c.Data); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.book)
	if s.live, err = c.openLive(ctx); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.live)
	words := func() index.Store { return s.live.Current() }
	s.search = &retrieval.Engine{Book: s.book, Store: words, Edges: s.book}
	s.check = &verify.Checker{Book: s.book, Words: verify.Index{Store: words}}
	if s.encoder, err = c.openEncoder(); err != nil {
		warn(err.Error() + "; searching by words only")
	} else {
		s.closers = append(s.closers, s.encoder)
		s.search.Encoder, s.search.Floor = retrieval.RememberQuestions(s.encoder), s.encoder.Floor()
		s.search.Building = func() (done, total int) { return ingest.Building(c.Data, s.encoder) }
		if s.search.Ranker, err = c.openRanker(s.encoder); err != nil {
			warn(err.Error() + "; searching without the ranker")
		}
		if s.search.Legal, err = c.openLegal(s.encoder); err != nil {
			warn(err.Error() + "; every question may be one of law")
		}
		if s.search.IntentModel, err = c.openIntents(s.encoder); err != nil {
			warn(err.Error() + "; searching without it")
		}
	}
	if s.search.Terms, err = c.openTerms(); err != nil {
		warn(err.Error() + "; searching without them")
	}
	cross, err := c.openCross()
	if err != nil {
		return nil, err
	}
	if cross != nil {
		s.search.Cross, s.cross = cross, cross.Digest()
		s.closers = append(s.closers, cross)
	}
	asker, err := c.openAsker(ctx)
	if err != nil {
		return nil, err
	}
	if asker != nil {
		s.llm = asker.Name
		s.search.Expander, s.search.Intents = retrieval.Prompted{LLM: asker}, retrieval.Prompted{LLM: asker}
		s.search.LLMDeadline = 2 * c.LLM.Timeout // a stage asks twice at most, where all goes well
	}
	err = c.openAgents(ctx, s, asker)
	return s, err
}

// openAgents wires the answer graph, and the loop in which a language model calls tools.
func (c *config) openAgents(ctx context.Context, s *system, asker *model.Asker) error {
	s.loop = &agent.Loop{Tools: s.tools(), Deadline: c.LLM.Deadline}
	o := graph.Options{Search: newTurns(s.search), Check: s.check, Follow: retrieval.References{Engine: s.search, Edges: s.book}, Meaning: verify.Meaning{}}
	if s.encoder != nil {
		o.Floor = s.encoder.Floor()
		o.Meaning = verify.Meaning{Similarity: model.Comparer{Encoder: s.encoder}}
		reader, err := c.openReader(s.search.Encoder)
		if err != nil {
			warn(err.Error() + "; answers without a language model quote the first articles")
		} else if reader != nil {
			o.Reader = reader
		}
	}
	s.answering = o
	if lo := c.llmOptions(); lo.Set() {
		llm, err := model.OpenLLM(ctx, lo)
		if err != nil {
			return err
		}
		s.loop.LLM = llm
		o.LLM, o.Review, o.Conversation = llm, verify.Reviewer{LLM: asker}, graph.Conversation{LLM: asker}
	}
	g, err := graph.New(ctx, o)
	if err != nil {
		return err
	}
	s.agent = &agent.Agent{Graph: g, Deadline: c.LLM.Deadline}
	s.loop.Gate, s.loop.Workflow = g, g
	return nil
}

// Close closes what was opened, in the opposite order.
func (s *system) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i].Close())
	}
	return errors.Join(errs...)
}

// warn prints a line for the person at the terminal.
func warn(text string) { fmt.Fprintln(os.Stderr, "lexagent: "+text) }

// since is the time from start in milliseconds, to three places.
func since(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }
