package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"lexagent/ingest"
	"lexagent/ingest/uploads"
)

func documentsCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "documents",
		Short: "List and remove the documents that were uploaded to serve",
		Example: "  lexagent documents list --collection firm\n" +
			"  lexagent documents remove 考勤办法.md --collection firm",
	}
	collection := cmd.PersistentFlags().String("collection", "uploads", "collection of the documents")
	cmd.AddCommand(documentsListCommand(c, collection), documentsRemoveCommand(c, collection))
	return cmd
}

func documentsListCommand(c *config, collection *string) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the documents of a collection",
		Example: "  lexagent documents list --collection firm",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			documents, err := uploads.List(c.Data, *collection)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
			for _, d := range documents {
				fmt.Fprintf(w, "%s\t%d bytes\t%s\n", d.Name, d.Bytes, d.At.Format(time.RFC3339))
			}
			return w.Flush()
		},
	}
}

func documentsRemoveCommand(c *config, collection *string) *cobra.Command {
	var noVectors bool
	cmd := &cobra.Command{
		Use:   "remove NAME…",
		Short: "Take documents out of a collection and delete their files",
		Long: "Takes out what the documents brought, and deletes their files. A running server follows within seconds. Generations\n" +
			"of the index from before hold their words until `lexagent gc` removes them.",
		Example: "  lexagent documents remove 考勤办法.md --collection firm",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			return c.removeDocuments(cmd.Context(), *collection, names, !noVectors)
		},
	}
	cmd.Flags().BoolVar(&noVectors, "no-vectors", false, "do not open the encoder; vectors that are missing are made by the next ingest or serve")
	return cmd
}

func (c *config) removeDocuments(ctx context.Context, collection string, names []string, vectors bool) error {
	report, err := uploads.Remove(c.Data, collection, names, func(o ingest.Options) (*ingest.Report, error) {
		return c.ingest(ctx, nil, o, vectors, false)
	})
	if errors.Is(err, uploads.ErrNoDocument) {
		return fmt.Errorf("%w: `lexagent documents list --collection %s` lists them", err, collection)
	}
	if err != nil {
		return err
	}
	units := 0
	for _, p := range report.Pruned {
		units += p.Units
	}
	fmt.Printf("%d documents removed, with %d units\n", len(names), units)
	return nil
}
