// Command lexagent answers questions about Chinese law from the statutes
// themselves. Run it without arguments for its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"lexagent/ingest"
)

// version is set by the build.
var version = "dev"

// exitError carries an exit code other than 1. Its text may be empty when the
// command has said all there is.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var exit *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if exit.text != "" {
			fmt.Fprintln(os.Stderr, "lexagent: "+exit.text)
		}
		return exit.code
	case ingest.DiskFull(err):
		fmt.Fprintln(os.Stderr, "lexagent: the disk is full; what was stored is kept: make space and run the same command again")
		return 1
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "lexagent: interrupted; what was done is kept, run the same command to go on")
		return 1
	}
	fmt.Fprintln(os.Stderr, "lexagent: "+err.Error())
	return 1
}

func rootCommand() *cobra.Command {
	var c config
	root := &cobra.Command{
		Use:   "lexagent",
		Short: "Answers questions about Chinese law from the statutes themselves",
		Example: "  lexagent ingest laws/            # read statutes\n" +
			"  lexagent search 离婚冷静期       # find the articles that govern a question\n" +
			"  lexagent ask 离婚冷静期是多久？  # answer it, with checked citations\n" +
			"  lexagent serve                   # the same over HTTP, with a web page",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
	}
	c.register(root)
	root.AddCommand(
		ingestCommand(&c), documentsCommand(&c), searchCommand(&c), askCommand(&c), checkCommand(&c), evalCommand(&c), datasetCommand(&c), judgeCommand(&c), serveCommand(&c), mcpCommand(&c), configCommand(&c), keyCommand(&c), doctorCommand(&c), benchCommand(&c), exportCommand(&c), gcCommand(&c), trainCommand(&c), cacheCommand(&c), tuneCommand(&c),
	)
	return root
}
