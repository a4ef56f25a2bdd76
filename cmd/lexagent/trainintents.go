package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"lexagent/evaluator/dataset"
	"lexagent/index"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
)

// intentLabel is one line of a file of labels.
type intentLabel struct {
	ID     string         `json:"id"`
	Intent prompts.Intent `json:"intent"`
	Why    string         `json:"why"` // the reader's reason, in a word
}

// intentRow is one line of what the model of intents is trained on.
type intentRow struct {
	ID     string         `json:"id"`
	Side   string         `json:"side"` // article or question
	Intent prompts.Intent `json:"intent"`
	Rules  prompts.Intent `json:"rules"`
	Row    []float64      `json:"row"`
}

func trainIntents(c *config) *cobra.Command {
	var articles, questions, gold, out string
	cmd := &cobra.Command{
		Use:   "intents",
		Short: "Write labelled articles and questions with the columns that the model of intents sees",
		Example: "  lexagent train intents --articles training/intents/articles.jsonl --questions training/intents/questions.jsonl \\\n" +
			"    --gold train.jsonl --out intents.rows.jsonl",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&articles, "articles", "", "labels of articles, JSON lines with id and intent")
	cmd.Flags().StringVar(&questions, "questions", "", "labels of questions")
	cmd.Flags().StringVar(&gold, "gold", "", "the questions themselves")
	cmd.Flags().StringVar(&out, "out", "", "file to write, JSON lines")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := c.openSystem(cmd.Context(), warn)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // opened for reading; the process ends
		if s.encoder == nil {
			return errors.New("the vectors of the articles need the encoder")
		}
		rows, err := articleRows(cmd.Context(), s, articles)
		if err != nil {
			return err
		}
		more, err := questionRows(questions, gold)
		if err != nil {
			return err
		}
		return writeRows(out, slices.Concat(rows, more))
	}
	return cmd
}

// articleRows finds the labelled articles in the book by the ids of the corpus.
func articleRows(ctx context.Context, s *system, path string) ([]intentRow, error) {
	labels, err := readLabels(path)
	if err != nil {
		return nil, err
	}
	var rows []intentRow
	err = s.book.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		label, ok := labels[u.SourceID]
		if !ok {
			return nil
		}
		v, err := s.encoder.Encode(ctx, []string{index.Passage(l.Title, u.Label, u.Text)}, model.Passage)
		if err != nil {
			return err
		}
		rows = append(rows, intentRow{label.ID, "article", label.Intent, retrieval.ArticleIntent(u.Text), retrieval.ArticleIntentRow(u.Text, v[0])})
		return nil
	})
	if err == nil && len(rows) < len(labels) {
		warn(fmt.Sprintf("%d of %d labelled articles are not in the book", len(labels)-len(rows), len(labels)))
	}
	return rows, err
}

func questionRows(path, gold string) ([]intentRow, error) {
	labels, err := readLabels(path)
	if err != nil {
		return nil, err
	}
	questions, err := dataset.ReadFile(gold)
	if err != nil {
		return nil, err
	}
	var rows []intentRow
	for _, q := range questions {
		if label, ok := labels[q.ID]; ok {
			rows = append(rows, intentRow{q.ID, "question", label.Intent, retrieval.QuestionIntent(q.Question), retrieval.QuestionIntentRow(q.Question)})
		}
	}
	return rows, nil
}

// readLabels reads a file of labels, by id.
func readLabels(path string) (_ map[string]intentLabel, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	labels := map[string]intentLabel{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var l intentLabel
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || !slices.Contains(prompts.Intents, l.Intent) {
			return nil, fmt.Errorf("%s, line %d is no label with id and intent", path, n)
		}
		labels[l.ID] = l
	}
	return labels, lines.Err()
}

func writeRows(path string, rows []intentRow) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	enc := json.NewEncoder(f)
	for i := range rows {
		if err := enc.Encode(rows[i]); err != nil {
			return err
		}
	}
	return nil
}
