package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lexagent/book"
	"lexagent/index"
	"lexagent/retrieval"
	"lexagent/verify"
)

// checkFlags are the flags of check.
type checkFlags struct {
	asOf, question, lang, queries, out string
	collections, evidence              []string
	asJSON, overwrite                  bool
}

// exitFalse is the exit code of a check that found something false.
const exitFalse = 3

func checkCommand(c *config) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check what a text says about statutes: references, quotations, figures",
		Long: "Reads a text (standard input without FILE) and says of every statute reference whether the article exists and is in\n" +
			"force, of every quotation whether it is the article's wording, and of every figure whether the articles have it.\n" +
			"Loads no model. Exit code 0: nothing is false; 3: something is; 1: it could not be checked.",
		Example: "  lexagent check answer.md\n  echo '《民法典》第一千三百条规定了什么' | lexagent check\n" +
			"  lexagent check --queries texts.jsonl --out checked.jsonl   # lines {\"id\",\"text\"}, and \"question\" and \"evidence\" where known",
		Args: cobra.MaximumNArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.asOf, "as-of", "", "day whose law counts, such as 2021-01-01; \"any\" for all versions (default today)")
	fl.StringSliceVar(&f.collections, "collection", nil, "collections to look in (default public)")
	fl.StringVar(&f.question, "question", "", "the question that the text answers; figures in it may be repeated")
	fl.StringSliceVar(&f.evidence, "evidence", nil, "ids of the articles that the text was written from; it may refer to no others")
	fl.StringVar(&f.lang, "lang", "zh", "language of the notes: zh or en")
	fl.BoolVar(&f.asJSON, "json", false, "print the report as JSON")
	fl.StringVar(&f.queries, "queries", "", "file of texts for a batch, JSON lines with id and text")
	fl.StringVar(&f.out, "out", "", "file that a batch writes, JSON lines")
	fl.BoolVar(&f.overwrite, "overwrite", false, "start the batch anew when the file has other settings")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		asOf, err := retrieval.ParseAsOf(f.asOf)
		switch {
		case err != nil:
			return err
		case f.lang != "zh" && f.lang != "en":
			return fmt.Errorf("there is no language %q; there are zh and en", f.lang)
		case f.queries != "" && f.out == "":
			return errors.New("a batch needs --out FILE to write to")
		case f.queries != "" && len(args) > 0:
			return errors.New("give a text or --queries FILE, not both")
		}
		s, err := c.openChecking(cmd.Context())
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // opened for reading; the process ends
		scope := retrieval.Scope{Collections: f.collections}
		s.draft = verify.Draft{
			Question: f.question, Collections: scope.Visible(),
			Day: asOf.On(time.Now()), AnyDay: asOf.Any, English: f.lang == "en",
		}
		if f.queries != "" {
			return f.batch(cmd.Context(), s)
		}
		return f.single(cmd.Context(), s, args)
	}
	return cmd
}

// checking is what checks texts: the book and the words of the index.
type checking struct {
	*verify.Checker
	book  *book.Book
	live  live
	draft verify.Draft // the settings of every check
}

// openChecking opens the book and the index, and no model.
func (c *config) openChecking(ctx context.Context) (*checking, error) {
	b, err := book.Open(ctx, c.Data)
	if err != nil {
		return nil, err
	}
	l, err := c.openLive(ctx)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	words := func() index.Store { return l.Current() }
	return &checking{Checker: &verify.Checker{Book: b, Words: verify.Index{Store: words}}, book: b, live: l}, nil
}

// Close closes the index and the book.
func (s *checking) Close() error { return errors.Join(s.live.Close(), s.book.Close()) }

// check checks one text with the articles that it was written from.
func (s *checking) check(ctx context.Context, text string, evidence []string) (*verify.Report, error) {
	d := s.draft
	d.Text = text
	var err error
	if d.Evidence, err = verify.ReadEvidence(ctx, s.book, d.Collections, evidence, d.Day); err != nil {
		return nil, err
	}
	return s.Check(ctx, d)
}

func (f *checkFlags) single(ctx context.Context, s *checking, args []string) error {
	text, err := readText(args)
	if err != nil {
		return err
	}
	report, err := s.check(ctx, text, f.evidence)
	if err != nil {
		return err
	}
	if f.asJSON {
		err = printJSON(report)
	} else {
		_, err = io.WriteString(os.Stdout, describeReport(report))
	}
	if err == nil && !report.OK {
		err = &exitError{code: exitFalse}
	}
	return err
}

// readText reads the file that is named, or standard input, as far as a check goes.
func readText(args []string) (string, error) {
	in := os.Stdin
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return "", fmt.Errorf("read the text: %w", err)
		}
		defer file.Close() //nolint:errcheck // opened for reading
		in = file
	} else if info, err := in.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return "", errors.New("what is to be checked? Name a file, or pipe a text in")
	}
	b, err := io.ReadAll(io.LimitReader(in, verify.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return strings.TrimPrefix(string(b), "\ufeff"), nil
}

// severityMarks are what stands before a finding on a terminal.
var severityMarks = map[verify.Severity]string{verify.Fine: "✓", verify.False: "✗", verify.Unsupported: "!", verify.Unchecked: "?"}

// describeReport prints a report for people: a line for each finding, then a sum.
func describeReport(r *verify.Report) string {
	var b strings.Builder
	counts := map[verify.Severity]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		counts[f.Severity]++
		fmt.Fprintf(&b, "%s %d–%d %s  %s", severityMarks[f.Severity], f.Start, f.End, f.Verdict, shorten(f.Text))
		if f.ID != "" {
			b.WriteString("  " + f.ID)
		}
		b.WriteByte('\n')
		if f.Note != "" {
			b.WriteString("    " + f.Note + "\n")
		}
		for _, e := range f.Diff {
			fmt.Fprintf(&b, "    %s: %q → %q\n", e.Op, e.A, e.B)
		}
	}
	fmt.Fprintf(&b, "%d checked: %d false, %d unsupported, %d not checked\n",
		len(r.Findings), counts[verify.False], counts[verify.Unsupported], counts[verify.Unchecked])
	return b.String()
}

// shownRunes is how much of a quotation a terminal shows.
const shownRunes = 40

func shorten(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > shownRunes {
		return string(r[:shownRunes]) + "…"
	}
	return string(r)
}
