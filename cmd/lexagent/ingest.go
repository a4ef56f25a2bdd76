package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lexagent/index/embedded"
	"lexagent/ingest"
)

const ingestLong = `Reads Word, Markdown, HTML, PDF and plain text, JSON lines (.jsonl, .jsonl.gz) and SQLite corpora, and the data
folders of other ingests. Inputs stored before are passed over; a run that was interrupted goes on when it is
started again. Without a path what is stored is brought up to date: an index for another encoder than before is made
beside the one in use, which answers meanwhile.

A file that has changed replaces what it brought: corrected units get their new text, units that it no longer has
are removed. Where it holds a revision of a later day, that is a further version of the law, and the earlier one
stays. With --prune, files below the folders given that are no longer there are taken out with all that only they
brought; nothing is taken out where a folder is missing or empty, as where a disk is not mounted.

Every character of a source other than white space belongs to a unit, a heading or a listed rest (headers, comments,
tables of contents). The report tells how many, and warns of files below 99.5 % with the first place that is lost;
--json tells it of every file.

Several workers share the reading and the vectors, each with a data folder of its own: --shard 2/8 is the second of
eight. Ingesting their data folders puts them together, as if one had read all.

Exit code 0: all is stored. 2: some inputs failed and the rest is stored. 1: nothing could be done.`

const ingestExample = "  lexagent ingest laws/ 民法典.md\n" +
	"  lexagent ingest laws/ --prune                      # and take out what is no longer in the folder\n" +
	"  lexagent ingest articles.jsonl.gz --only-ids ids.txt --data /data/lexagent\n" +
	"  lexagent ingest laws/ --shard 1/2 --data worker1   # on one machine, and 2/2 on another, then:\n" +
	"  lexagent ingest worker1 worker2 --data /data/lexagent"

// ingesting is what the command ingest is told.
type ingesting struct {
	collection, onlyIDs, shard, without, intents string
	prune, noVectors, asJSON                     bool
}

func ingestCommand(c *config) *cobra.Command {
	var i ingesting
	cmd := &cobra.Command{
		Use:     "ingest [PATH…]",
		Short:   "Read statutes from files or folders into the book and make them searchable",
		Long:    ingestLong,
		Example: ingestExample,
		RunE:    func(cmd *cobra.Command, paths []string) error { return i.run(cmd.Context(), c, paths) },
	}
	cmd.Flags().StringVar(&i.collection, "collection", "", "collection that the units belong to (default public)")
	cmd.Flags().StringVar(&i.onlyIDs, "only-ids", "", "file with ids, one a line: of the files given, store only these units")
	cmd.Flags().BoolVar(&i.prune, "prune", false, "take out what came from files below the folders given that are no longer there")
	cmd.Flags().StringVar(&i.shard, "shard", "", "read only this worker's share of the inputs: i/n, the i-th of n")
	cmd.Flags().BoolVar(&i.noVectors, "no-vectors", false, "return when words can be searched; vectors are made by the next ingest or serve")
	cmd.Flags().StringVar(&i.without, "without", "", "what searched texts are to be made without, to see what it is worth: entities (the terms that a text defines, said again)")
	cmd.Flags().StringVar(&i.intents, "intents", byClassifier, "who tells what articles are for: "+byClassifier+", or "+byLLM+", one call an article that was not asked about before")
	cmd.Flags().BoolVar(&i.asJSON, "json", false, "print the report as JSON")
	return cmd
}

func (i *ingesting) run(ctx context.Context, c *config, paths []string) error {
	if _, err := embedded.Current(ingest.IndexRoot(c.Data)); err != nil && len(paths) == 0 {
		return errors.New("ingest requires at least 1 argument where nothing is stored yet: a file or folder of statutes")
	}
	if i.prune && len(paths) == 0 {
		return errors.New("--prune needs the folders that are to be compared with what is stored")
	}
	o, err := i.options()
	if err != nil {
		return err
	}
	report, err := c.ingest(ctx, paths, o, !i.noVectors, i.intents == byLLM)
	if err != nil {
		return err
	}
	if c.Store == storeMilvus && o.Shard.Partial() {
		warn("a share is not published: ingest the data folders of all workers into one, with --store milvus")
	}
	return printReport(report, i.asJSON, len(paths) == 0)
}

// ingest runs the engine with what the configuration names: the encoder where vectors
// are wanted, what tells intents (with the vectors, or asked of the language model), and
// the index to publish to.
func (c *config) ingest(ctx context.Context, paths []string, o ingest.Options, vectors, asked bool) (*ingest.Report, error) {
	o.Progress = progressLine()
	defer endProgress()
	if vectors {
		enc, err := c.openEncoder()
		if err != nil {
			return nil, fmt.Errorf("%w (or give --no-vectors)", err)
		}
		defer enc.Close() //nolint:errcheck // the process ends
		o.Encoder = enc
	}
	if vectors || asked {
		labeler, err := c.openLabeler(ctx, o.Encoder, asked)
		if err != nil {
			return nil, err
		}
		o.Labeler = labeler
	}
	if c.Store == storeMilvus && !o.Shard.Partial() {
		m, err := c.dialMilvus(ctx)
		if err != nil {
			return nil, err
		}
		defer m.Close() //nolint:errcheck // the process ends
		o.Publisher = m
	}
	return ingest.Run(ctx, c.Data, paths, o)
}

// options are those of the engine that flags tell.
func (i *ingesting) options() (o ingest.Options, err error) {
	o = ingest.Options{Collection: i.collection, Prune: i.prune, Without: ingest.Without(i.without)}
	if i.intents != byClassifier && i.intents != byLLM {
		return o, fmt.Errorf("--intents %s: use %s or %s", i.intents, byClassifier, byLLM)
	}
	if i.onlyIDs != "" {
		if o.OnlyIDs, err = ingest.ReadIDs(i.onlyIDs); err != nil {
			return o, err
		}
	}
	if i.shard != "" {
		o.Shard, err = ingest.ParseShard(i.shard)
	}
	return o, err
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
	case len(r.Skipped) > 0 && r.Units+r.Same == 0 && r.Unchanged == 0 && len(r.Pruned) == 0:
		return &exitError{code: 1, text: "nothing could be stored; the report says why"}
	case len(r.Skipped) > 0:
		return &exitError{code: 2, text: fmt.Sprintf("%d inputs or places could not be read; the rest is stored", len(r.Skipped))}
	case r.Files == 0 && r.Others == 0 && len(r.Pruned) == 0 && !update:
		return &exitError{code: 1, text: "no files in a known format were found"}
	}
	return nil
}
