package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/statute"
)

func exportCommand(c *config) *cobra.Command {
	var kind, asOf string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print what the book holds as JSON lines",
		Long: "Prints laws, articles (and the other units: preambles, items, attachments), chunks or citations, one JSON object\n" +
			"a line, always in the same order. Every version is printed; its status is that on the day asked about.\n\n" +
			"feedback is what readers said of answers, as CSV in the form of lexagent judge --human: an answer's id as its code,\n" +
			"the four ratings where the reader gave them, and beside them up or down, the reason, the day and the key.",
		Example: "  lexagent export --kind law --as-of 2021-01-01\n  lexagent export --kind citation > citations.jsonl",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&kind, "kind", "article", "law, article, chunk, citation or feedback")
	cmd.Flags().StringVar(&asOf, "as-of", "", "day whose status is printed, such as 2021-01-01 (default today)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if kind == "feedback" {
			return exportFeedback(os.Stdout, c.Data)
		}
		day, err := statute.ParseDate(asOf)
		if err != nil {
			return fmt.Errorf("--as-of: %w", err)
		}
		if day.IsZero() {
			day = statute.DateOf(time.Now())
		}
		b, err := book.Open(cmd.Context(), c.Data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		return export(cmd.Context(), os.Stdout, b, kind, day)
	}
	return cmd
}

// export writes one kind of thing that the book holds.
func export(ctx context.Context, to io.Writer, b *book.Book, kind string, day statute.Date) error {
	w := bufio.NewWriterSize(to, 1<<16)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var err error
	switch kind {
	case "law":
		err = exportLaws(enc, b, day)
	case "article":
		err = b.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
			return enc.Encode(unitLine{book.DocID(l.Collection, u.ID), u.SourceID, u.Kind, l.Title, u.Label, u.Text, l.Level, l.StatusOn(day), list(u.Path), nil})
		})
	case "chunk":
		err = b.EachChunk(ctx, func(p *statute.Passage, l *statute.Law) error {
			units := make([]string, len(p.Units))
			for i, id := range p.Units {
				units[i] = book.DocID(l.Collection, id)
			}
			return enc.Encode(unitLine{book.DocID(l.Collection, p.ID), "", statute.Chunk, l.Title, p.Label, p.Text, l.Level, l.StatusOn(day), list(p.Path), units})
		})
	case "citation":
		err = exportCitations(ctx, enc, b)
	default:
		return fmt.Errorf("--kind %s is not known: it is law, article, chunk, citation or feedback", kind)
	}
	return errors.Join(err, w.Flush())
}

// unitLine is an article or a chunk.
type unitLine struct {
	ID       string         `json:"id"`
	SourceID string         `json:"source_id"`
	Kind     statute.Kind   `json:"kind"`
	Law      string         `json:"law"` // title as printed
	Label    string         `json:"label"`
	Text     string         `json:"text"`
	Level    statute.Level  `json:"level"`
	Status   statute.Status `json:"status"`
	Path     []string       `json:"path"`
	Units    []string       `json:"units,omitempty"` // of a chunk
}

// lawLine is a version of a law.
type lawLine struct {
	ID         string         `json:"id"`
	SourceIDs  []string       `json:"source_ids"`
	Law        string         `json:"law"`
	Level      statute.Level  `json:"level"`
	Version    string         `json:"version"`
	Published  statute.Date   `json:"published"`
	Effective  statute.Date   `json:"effective"`
	Repealed   statute.Date   `json:"repealed"`    // first day no longer in force, by a repeal or a later version
	RepealedBy *string        `json:"repealed_by"` // id of the law or version that ended it
	Status     statute.Status `json:"status"`
}

func exportLaws(enc *json.Encoder, b *book.Book, day statute.Date) error {
	for _, l := range b.AllLaws() {
		line := lawLine{book.DocID(l.Collection, l.ID), list(l.SourceIDs), l.Title, l.Level, l.Version, l.Published, l.Effective, l.Ended, nil, l.StatusOn(day)}
		if by := b.EndedBy(l); by != nil {
			id := book.DocID(by.Collection, by.ID)
			line.RepealedBy = &id
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// citationLine is an edge of the citation graph. To is a unit; for amends and
// repeals also a law.
type citationLine struct {
	From         string        `json:"from"`
	To           *string       `json:"to"`
	FromSourceID string        `json:"from_source_id"`
	ToSourceID   *string       `json:"to_source_id"`
	Kind         book.EdgeKind `json:"kind"`
	Text         string        `json:"text"`
	ToLaw        string        `json:"to_law"`           // id of the cited law, or its name as printed
	Number       int           `json:"number,omitempty"` // of the cited article
	Sub          int           `json:"sub,omitempty"`
	Stale        bool          `json:"stale,omitempty"` // the number as printed may have shifted
	Reason       book.Reason   `json:"reason,omitempty"`
}

func exportCitations(ctx context.Context, enc *json.Encoder, b *book.Book) error {
	sources := map[string]string{} // of laws
	for _, l := range b.AllLaws() {
		if len(l.SourceIDs) > 0 {
			sources[book.DocID(l.Collection, l.ID)] = l.SourceIDs[0]
		}
	}
	return b.EachCitation(ctx, func(c book.Citation, from, to string) error {
		line := citationLine{From: book.DocID(c.Collection, c.From), FromSourceID: from, Kind: c.Kind, Text: c.Text,
			ToLaw: c.ToLaw, Number: c.Number, Sub: c.Sub, Stale: c.Stale, Reason: c.Reason}
		if c.To != "" {
			id := book.DocID(c.ToIn, c.To)
			if to == "" {
				to = sources[id]
			}
			line.To, line.ToSourceID = &id, &to
		}
		return enc.Encode(line)
	})
}

// list is a list that JSON shows as [] when it is empty.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
