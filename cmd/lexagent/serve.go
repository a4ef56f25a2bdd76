package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/index/embedded"
	"lexagent/index/milvus"
	"lexagent/ingest"
	"lexagent/server"
)

func serveCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve search and answers over HTTP, with a web page",
		Example: "  lexagent serve\n  LEXAGENT_LLM_URL=http://127.0.0.1:8181/v1 LEXAGENT_LLM_MODEL=qwen2.5-1.5b lexagent serve --addr 127.0.0.1:9000",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().String("addr", defaultAddr, "address to listen on ["+envAddr+"]")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context()) }
	return cmd
}

func (c *config) serve(ctx context.Context) (err error) {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	s, err := c.openSystem(ctx, func(text string) { log.Warn(text) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	health := &health{system: s, llm: c.LLM.Model, store: c.Store}
	srv, err := server.New(server.Options{
		Answerer: s.agent, Searcher: s.search, Statutes: s.book, Health: health,
		NotFound: book.ErrNotFound, Unavailable: []error{milvus.ErrUnavailable}, Addr: c.Addr, Version: version, Logger: log, AnswerTimeout: c.LLM.Deadline,
	})
	if err != nil {
		return err
	}
	if err := srv.Listen(); err != nil {
		return err
	}
	if err := s.live.Current().Probe(ctx); err != nil {
		return fmt.Errorf("the index does not find its own text: %w; run `lexagent ingest` again", err)
	}
	health.ready.Store(true)
	upkeep, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); c.upkeep(upkeep, s, health, log) }()
	defer func() { stop(); <-done }()
	greet(ctx, srv.Addr(), health)
	return srv.Run(ctx)
}

// greet prints the address and one example.
func greet(ctx context.Context, addr string, h *health) {
	r := h.Ready(ctx)
	fmt.Printf("LexAgent: %d laws, %d articles and other units\n\n  page     http://%s/\n", r.Laws, r.Articles, addr)
	fmt.Printf("  example  curl -s http://%s/v1/chat/completions -H 'Content-Type: application/json' \\\n", addr)
	fmt.Printf("             -d '{\"model\":\"lexagent\",\"messages\":[{\"role\":\"user\",\"content\":\"离婚冷静期是多久？\"}]}'\n\n")
	if !r.DenseReady && h.store == storeMilvus {
		fmt.Println("Searching by words only: no complete vectors are published; run `lexagent ingest` with the encoder.")
	} else if !r.DenseReady {
		fmt.Printf("Searching by words now; vectors are being made in the background (%.0f %% done).\n", 100*r.Dense)
	}
	if r.LLM == "" {
		fmt.Println("No language model is set (LEXAGENT_LLM_URL, LEXAGENT_LLM_MODEL): answers are extracts of the articles.")
	}
}

// lookEvery is how often the data folder is looked at for what an ingest brought.
const lookEvery = 2 * time.Second

// upkeep follows the data folder: it changes over to new generations and makes
// the vectors that are missing, until ctx ends. While the index is out of reach
// the server counts as not ready.
func (c *config) upkeep(ctx context.Context, s *system, h *health, log *slog.Logger) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		err := c.follow(ctx, s, log)
		if err != nil && ctx.Err() == nil {
			log.Error("upkeep", "error", err)
		}
		h.ready.Store(!errors.Is(err, milvus.ErrUnavailable))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (c *config) follow(ctx context.Context, s *system, log *slog.Logger) error {
	if err := s.book.Reload(ctx); err != nil {
		return err
	}
	changed, err := s.live.Refresh(ctx)
	if err != nil {
		return err
	}
	if changed {
		log.Info("index changed", "generation", s.live.Current().Manifest().Name())
	}
	if c.Store == storeMilvus {
		return nil // vectors are made before a generation is published there
	}
	done, total := s.live.Current().Vectors()
	if s.encoder == nil || done == total {
		return nil
	}
	making, stop := context.WithCancel(ctx)
	defer stop()
	last := time.Now()
	err = ingest.MakeVectors(making, c.Data, s.book, s.encoder, func(done, total int) {
		if time.Since(last) > 10*time.Second || done == total {
			last = time.Now()
			log.Info("vectors", "done", done, "total", total)
		}
		if name, err := embedded.Current(ingest.IndexRoot(c.Data)); err == nil && name != s.live.Current().Manifest().Name() {
			stop() // another generation is in use: its vectors are wanted now
		}
	})
	if errors.Is(err, embedded.ErrBusy) || making.Err() != nil {
		return nil // another process makes them, or they are no longer wanted
	}
	return err
}
