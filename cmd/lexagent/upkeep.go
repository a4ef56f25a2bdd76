package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"lexagent/index/embedded"
	"lexagent/index/milvus"
	"lexagent/ingest"
)

const (
	lookEvery    = 2 * time.Second  // between two looks at the data folder for what an ingest brought
	tellEvery    = 10 * time.Second // between two lines about vectors being made
	longestPause = time.Minute      // after errors; doubled from lookEvery on
)

// keeper follows the data folder while the server runs: it changes over to new
// generations of the index, and makes what the one in use lacks for the encoder.
type keeper struct {
	dir      string
	embedded bool // the index is searched here, so its vectors are made here
	system   *system
	health   *health
	log      *slog.Logger

	settled string // generation that lacks nothing
	foreign bool   // another process put a generation of another encoder in use
	told    string // error that was logged last
	pause   time.Duration
	resume  time.Time // when making goes on after an error
}

// run keeps up until ctx ends. While the index is out of reach the server counts as
// not ready.
func (k *keeper) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		err := k.follow(ctx)
		k.health.ready.Store(!errors.Is(err, milvus.ErrUnavailable))
		if err == nil && k.embedded && time.Now().After(k.resume) {
			err = k.make(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		k.tell(err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell logs an error once, however often it comes.
func (k *keeper) tell(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != k.told {
		k.log.Error("upkeep", "error", text)
	}
	if time.Now().After(k.resume) || err != nil { // a pause is no success
		k.told = text
	}
}

// follow changes over to the generation in use.
func (k *keeper) follow(ctx context.Context) error {
	if err := k.system.book.Reload(ctx); err != nil {
		return err
	}
	changed, err := k.system.live.Refresh(ctx)
	if err != nil || !changed {
		return err
	}
	k.log.Info("index changed", "generation", k.name())
	if !k.embedded || k.system.encoder == nil {
		return nil
	}
	// Two processes with different encoders must not take turns.
	suits, err := ingest.Suits(k.dir, k.system.encoder)
	if k.foreign = err == nil && !suits; k.foreign {
		k.log.Warn("the index in use is for another encoder or by another segmenter than this server's, which answers from it as well as it can: start it again with the program and the encoder of the last ingest", "encoder", k.system.encoder.Name())
	}
	return err
}

func (k *keeper) name() string { return k.system.live.Current().Manifest().Name() }

// make makes what the index in use lacks. It stops when another generation is put in
// use, whose vectors are wanted then.
func (k *keeper) make(ctx context.Context) error {
	now := k.name()
	if k.system.encoder == nil || k.foreign || k.settled == now {
		return nil
	}
	making, stop := context.WithCancel(ctx)
	defer stop()
	last, begun := time.Now(), false
	err := ingest.Update(making, k.dir, k.system.book, k.system.encoder, func(done, total int) {
		if begun = begun || done < total; begun && (done == total || time.Since(last) > tellEvery) {
			last = time.Now()
			k.log.Info("vectors", "done", done, "total", total)
		}
		if name, err := embedded.Current(ingest.IndexRoot(k.dir)); err == nil && name != now {
			stop()
		}
	})
	switch {
	case errors.Is(err, embedded.ErrBusy), errors.Is(err, embedded.ErrBuilding), making.Err() != nil:
		return nil // another process makes them, or they are no longer wanted
	case err != nil:
		k.pause = min(max(2*k.pause, lookEvery), longestPause)
		k.resume = time.Now().Add(k.pause)
		return err
	}
	k.pause = 0
	if suits, err := ingest.Suits(k.dir, k.system.encoder); err != nil || !suits {
		return err // an ingest that was interrupted brings the rest
	}
	if name, err := embedded.Current(ingest.IndexRoot(k.dir)); err == nil {
		k.settled = name
	}
	return nil
}
