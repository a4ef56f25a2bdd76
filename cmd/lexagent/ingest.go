package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lexagent/index/embedded"
	"lexagent/ingest"
)

func ingestCommand(c *config) *cobra.Command {
	var collection, onlyIDs string
	var noVectors, asJSON bool
	cmd := &cobra.Command{
		Use:   "ingest [PATH…]",
		Short: "Read statutes from files or folders into the book and make them searchable",
		Long: "Reads Markdown, text, JSON lines (.jsonl, .jsonl.gz) and SQLite corpora. Inputs stored before are passed over;\n" +
			"a run that was interrupted goes on when it is started again. Without a path what is stored is brought up to date:\n" +
			"an index for another encoder than before is made beside the one in use, which answers meanwhile.\n\n" +
			"Exit code 0: all is stored. 2: some inputs failed and the rest is stored. 1: nothing could be done.",
		Example: "  lexagent ingest laws/ 民法典.md\n  lexagent ingest articles.jsonl.gz --only-ids ids.txt --data /data/lexagent",
	}
	cmd.Flags().StringVar(&collection, "collection", "", "collection that the units belong to (default public)")
	cmd.Flags().StringVar(&onlyIDs, "only-ids", "", "file with ids, one a line: store only these units")
	cmd.Flags().BoolVar(&noVectors, "no-vectors", false, "return when words can be searched; vectors are made by the next ingest or serve")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if _, err := embedded.Current(ingest.IndexRoot(c.Data)); err != nil && len(paths) == 0 {
			return errors.New("ingest requires at least 1 argument where nothing is stored yet: a file or folder of statutes")
		}
		o := ingest.Options{Collection: collection, Progress: progressLine()}
		if onlyIDs != "" {
			ids, err := ingest.ReadIDs(onlyIDs)
			if err != nil {
				return err
			}
			o.OnlyIDs = ids
		}
		if !noVectors {
			enc, err := c.openEncoder()
			if err != nil {
				return fmt.Errorf("%w (or give --no-vectors)", err)
			}
			defer enc.Close() //nolint:errcheck // the process ends
			o.Encoder = enc
		}
		if c.Store == storeMilvus {
			m, err := c.dialMilvus(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close() //nolint:errcheck // the process ends
			o.Publisher = m
		}
		report, err := ingest.Run(cmd.Context(), c.Data, paths, o)
		endProgress()
		if err != nil {
			return err
		}
		return printReport(report, asJSON, len(paths) == 0)
	}
	return cmd
}

// printReport prints the report and tells the exit code. With update nothing was to
// be read.
func printReport(r *ingest.Report, asJSON, update bool) error {
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
	} else {
		fmt.Println(r)
	}
	switch {
	case len(r.Skipped) > 0 && r.Units+r.Same == 0 && r.Unchanged == 0:
		return &exitError{code: 1, text: "nothing could be stored; the report says why"}
	case len(r.Skipped) > 0:
		return &exitError{code: 2, text: fmt.Sprintf("%d inputs or places could not be read; the rest is stored", len(r.Skipped))}
	case r.Files == 0 && !update:
		return &exitError{code: 1, text: "no files in a known format were found"}
	}
	return nil
}
