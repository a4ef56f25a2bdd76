package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/ingest/uploads"
	"lexagent/retrieval"
	"lexagent/server"
	"lexagent/tools"
)

// mcpTimeout bounds one call of a tool.
const mcpTimeout = 30 * time.Second

const mcpLong = `Speaks the Model Context Protocol over stdin and stdout, for clients that start a server of their own: search of
statutes, articles, tables of contents, citations, the status of laws, checks of texts, and laws and articles as
resources. No language model is needed. serve offers the same at /mcp over HTTP.

With --ingest, and --collections that name another than public, clients may also store documents: they go into the
first of these that is not public.`

const mcpExample = "  lexagent mcp\n" +
	"  lexagent mcp --collections public,firm --ingest\n" +
	`  {"mcpServers": {"lexagent": {"command": "/path/to/lexagent", "args": ["mcp", "--data", "/path/to/data"]}}}`

func mcpCommand(c *config) *cobra.Command {
	var collections []string
	var mayIngest bool
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve the tools to an MCP client over stdin and stdout", Long: mcpLong, Example: mcpExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			caller := tools.Caller{Scope: retrieval.Scope{Collections: collections}, Ingest: mayIngest}
			return c.speakMCP(cmd.Context(), caller)
		},
	}
	cmd.Flags().StringSliceVar(&collections, "collections", nil, "collections that the client sees (default public)")
	cmd.Flags().BoolVar(&mayIngest, "ingest", false, "let the client store documents")
	return cmd
}

// tools is the kit of what a model or a client may call.
func (s *system) tools() *tools.Kit {
	return &tools.Kit{Search: s.search, Book: s.book, Check: s.check}
}

func (c *config) speakMCP(ctx context.Context, caller tools.Caller) (err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := c.openSystem(ctx, warn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	kit := s.tools()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer func() { cancel(); running.Wait() }()
	if caller.Ingest {
		desk, err := uploads.Open(uploads.Options{Dir: c.Data, Ingest: c.ingestUpload(s), Logger: log})
		if err != nil {
			return err
		}
		kit.Indexer = inbox{desk}
		running.Go(func() { desk.Run(ctx) })
	}
	m := &server.MCP{
		Tools: kit, Statutes: s.book, NotFound: book.ErrNotFound, Caller: caller, Version: version,
		Timeout: mcpTimeout, Logger: log, Now: time.Now,
	}
	srv, err := m.Server(ctx)
	if err != nil {
		return err
	}
	// What other processes ingest is followed; vectors are theirs to make.
	keeper := &keeper{dir: c.Data, system: s, health: &health{system: s, store: c.Store, data: c.Data}, log: log}
	running.Go(func() { keeper.run(ctx) })
	err = srv.Run(ctx, &mcp.StdioTransport{})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil // the client is done, or we are told to stop
	}
	return fmt.Errorf("speak MCP: %w", err)
}
