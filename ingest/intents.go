package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"lexagent/book"
	"lexagent/index/embedded"
	"lexagent/prompts"
	"lexagent/statute"
)

// Labeler tells what units are for (LexPath § 3.5).
type Labeler interface {
	Grade() book.Grade
	Name() string // of what tells it; another name is another's opinion
	// Label returns the probabilities of the intents. vector is nil where there is none.
	Label(ctx context.Context, u *statute.Unit, l *statute.Law, vector []float32) (prompts.Odds, error)
}

// Intents tells what the units of the book are for.
type Intents struct {
	Counts map[prompts.Intent]int `json:"counts"`       // units by what they are likeliest for
	Told   int                    `json:"told"`         // units that this run looked at
	By     string                 `json:"by,omitempty"` // who told them
}

// String tells the counts, and who told.
func (in *Intents) String() string {
	if len(in.Counts) == 0 {
		return "not told"
	}
	var parts []string
	for _, i := range prompts.Intents {
		parts = append(parts, fmt.Sprintf("%d %s", in.Counts[i], i))
	}
	text := strings.Join(parts, ", ")
	if in.Told > 0 {
		text += fmt.Sprintf("; %d told now, by %s", in.Told, in.By)
	}
	return text
}

// Laws are labelled and stored some at a time: as many as chunks are made of, or what
// was labelled within keepEvery, which is what a kill loses.
const (
	keepEvery = 5 * time.Second
	askAtOnce = 8 // units of a law; a language model takes several calls together
)

// label tells what the units are for, of the laws that have changed since that was
// done, or whose intents a lesser labeler told. A share is not labelled: the ingest
// that puts all together does that.
func (e *engine) label(ctx context.Context) (err error) {
	if e.o.Labeler != nil && !e.o.Shard.Partial() {
		if err := e.labelLaws(ctx); err != nil {
			return fmt.Errorf("tell what articles are for: %w; all else is stored, and the same command goes on", err)
		}
	}
	e.report.Intents.Counts, err = e.book.CountIntents(ctx)
	return err
}

func (e *engine) labelLaws(ctx context.Context) (err error) {
	by := e.o.Labeler
	laws, err := e.book.Unlabelled(ctx, by.Grade(), by.Name())
	if err != nil || len(laws) == 0 {
		return err
	}
	e.report.Intents.By = by.Name()
	e.stage("intents", len(laws))
	s, err := embedded.OpenGeneration(IndexRoot(e.dir), e.generation)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	rows, err := rowsOf(s)
	if err != nil {
		return err
	}
	vector := func(l *statute.Law, unit string) []float32 {
		if row, ok := rows[book.DocID(l.Collection, unit)]; ok {
			return s.Vector(row)
		}
		return nil
	}
	for len(laws) > 0 {
		done, err := e.labelSome(ctx, laws, vector)
		if err := errors.Join(err, e.keep(ctx, done)); err != nil {
			return err
		}
		laws = laws[len(done):]
	}
	return nil
}

// labelSome labels as many of the laws as are stored together. What it returns with an
// error was labelled before.
func (e *engine) labelSome(ctx context.Context, laws []*statute.Law, vector func(l *statute.Law, unit string) []float32) (done []labelled, err error) {
	start := time.Now()
	for _, l := range laws[:min(batchLaws, len(laws))] {
		odds, err := e.labelLaw(ctx, l, vector)
		if err != nil {
			return done, err
		}
		done = append(done, labelled{l, odds})
		e.progress.Units++
		e.tell(e.progress.Units == e.progress.Total)
		if time.Since(start) > keepEvery {
			break
		}
	}
	return done, nil
}

// labelled is a law with the intents of its units.
type labelled struct {
	law  *statute.Law
	odds map[string]prompts.Odds
}

// labelLaw labels the units of a law.
func (e *engine) labelLaw(ctx context.Context, l *statute.Law, vector func(l *statute.Law, unit string) []float32) (map[string]prompts.Odds, error) {
	units, err := e.book.Units(ctx, l)
	if err != nil {
		return nil, err
	}
	told := make([]prompts.Odds, len(units))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(askAtOnce)
	for i := range units {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			told[i], err = e.o.Labeler.Label(ctx, &units[i], l, vector(l, units[i].ID))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("%s: %w", l.ID, err)
	}
	odds := make(map[string]prompts.Odds, len(units))
	for i := range units {
		odds[units[i].ID] = told[i]
	}
	return odds, nil
}

// keep stores what was labelled, also when the ingest is interrupted.
func (e *engine) keep(ctx context.Context, done []labelled) error {
	ctx, by := context.WithoutCancel(ctx), e.o.Labeler
	return e.book.Write(ctx, func(w *book.Writer) error {
		for _, d := range done {
			if err := w.PutIntents(ctx, d.law, by.Grade(), by.Name(), d.odds); err != nil {
				return err
			}
			e.report.Intents.Told += len(d.odds)
		}
		return nil
	})
}

// rowsOf are the places of the documents that have a vector.
func rowsOf(s *embedded.Store) (map[string]int, error) {
	done, _ := s.Vectors()
	rows := make(map[string]int, done)
	for i := range done {
		id, _, err := s.Document(i)
		if err != nil {
			return nil, err
		}
		rows[id] = i
	}
	return rows, nil
}
