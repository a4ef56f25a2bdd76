package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/milvus"
	"lexagent/ingest/uploads"
	"lexagent/server"
	"lexagent/server/access"
	"lexagent/server/tracing"
	"lexagent/state"
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

// lastTraces is how long a server that stops waits for its collector of traces.
const lastTraces = 2 * time.Second

func (c *config) serve(ctx context.Context) (err error) {
	var level slog.LevelVar
	log, err := c.Log.open(os.Stderr, &level)
	if err != nil {
		return err
	}
	stopTraces, err := tracing.Start(ctx, version, func(err error) { log.Warn("traces are not sent", "error", err) })
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTraces)
		defer cancel()
		err = errors.Join(err, stopTraces(ending))
	}()
	s, err := c.openSystem(ctx, func(text string) { log.Warn(text) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	health := &health{system: s, llm: c.LLM.Model, store: c.Store, data: c.Data}
	desk, err := uploads.Open(uploads.Options{Dir: c.Data, Ingest: c.ingestUpload(s), Logger: log})
	if err != nil {
		return err
	}
	o, err := c.serverOptions(s, desk)
	if err != nil {
		return err
	}
	if o.Judge, err = c.openJudge(ctx); err != nil {
		return err
	}
	o.Health, o.Logger, o.Reports = health, log, os.DirFS(filepath.Join(c.Data, reportsFolder))
	srv, err := server.New(o)
	if err != nil {
		return err
	}
	if err := srv.Listen(); errors.Is(err, server.ErrOpen) {
		return fmt.Errorf("%s: %w: make a key with `lexagent key create`, or set LEXAGENT_ACCESS_OPEN=true where this is meant", c.Addr, err)
	} else if err != nil {
		return err
	}
	if err := c.probe(ctx, s.live.Current()); err != nil {
		return err
	}
	health.ready.Store(true)
	upkeep, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	keeper := &keeper{dir: c.Data, embedded: c.Store == storeEmbedded, system: s, health: health, log: log}
	go func() { defer close(done); keeper.run(upkeep) }()
	go c.takeAnew(upkeep, srv, &level, log)
	taken := make(chan struct{})
	go func() { defer close(taken); desk.Run(upkeep) }()
	defer func() { stop(); <-done; <-taken }()
	greet(ctx, srv.Addr(), health)
	return srv.Run(ctx)
}

// serverOptions wires what the server needs, but for its health and log. What it
// opens is closed with the system.
func (c *config) serverOptions(s *system, desk *uploads.Desk) (server.Options, error) {
	memory, err := c.openState(s)
	if err != nil {
		return server.Options{}, err
	}
	keys, err := access.Open(c.keysPath(), nil)
	if err != nil {
		return server.Options{}, err
	}
	kit := s.tools()
	kit.Indexer = inbox{desk}
	audit, feedback := c.journals()
	s.closers = append(s.closers, audit, feedback)
	o := server.Options{
		Answerer: s.agent, Agent: s.loop, Searcher: s.search, Statutes: s.book, Checker: s.check, State: memory, Documents: desk, Relations: s.book, Tools: kit,
		NotFound: book.ErrNotFound, Unavailable: []error{milvus.ErrUnavailable}, Addr: c.Addr, Version: version,
		Keys: keys, Open: c.Access.Open, MaxAnswers: c.Load.Answers, MaxSearches: c.Load.Searches, Queue: c.Load.Queue, Patience: c.Load.Patience,
		AnswerTimeout: c.LLM.Deadline,
		Feedback:      feedback, LLM: c.LLM.Model, Generation: func() string { return s.live.Current().Manifest().Name() },
	}
	if c.Audit {
		o.Audit = audit
	}
	o.Take(c.live())
	return o, nil
}

// openState opens what the server remembers with: Redis where one is named, and this
// process otherwise.
func (c *config) openState(s *system) (state.Store, error) {
	if c.Redis.URL == "" {
		return state.NewMemory(nil), nil
	}
	r, err := state.OpenRedis(c.Redis.URL)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, r)
	return r, nil
}

// probe has the index find its own text. One that another analyzer made may not: it
// answers as well as it can until there is another.
func (c *config) probe(ctx context.Context, s store) error {
	analyzer, err := index.NewAnalyzer()
	if err != nil || s.Manifest().Analyzer != analyzer.Name() {
		return err
	}
	if err := s.Probe(ctx); err != nil {
		return fmt.Errorf("the index does not find its own text: %w; run `lexagent ingest` again", err)
	}
	return nil
}

// greet prints the address and one example.
func greet(ctx context.Context, addr string, h *health) {
	r := h.Ready(ctx)
	fmt.Printf("LexAgent: %d laws, %d articles and other units\n\n  page     http://%s/\n", r.Laws, r.Articles, addr)
	fmt.Printf("  example  curl -s http://%s/v1/chat/completions -H 'Content-Type: application/json' \\\n", addr)
	fmt.Printf("             -d '{\"model\":\"lexagent\",\"messages\":[{\"role\":\"user\",\"content\":\"离婚冷静期是多久？\"}]}'\n")
	fmt.Printf("  MCP      http://%s/mcp\n\n", addr)
	if !r.DenseReady && h.store == storeMilvus {
		fmt.Println("Searching by words only: no complete vectors are published; run `lexagent ingest` with the encoder.")
	} else if !r.DenseReady {
		fmt.Printf("Searching by words now; vectors are being made in the background (%.0f %% done).\n", 100*r.Dense)
	}
	if r.LLM == "" {
		fmt.Println("No language model is set (LEXAGENT_LLM_URL, LEXAGENT_LLM_MODEL): answers are extracts of the articles.")
	}
}
