package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lexagent/evaluator/jsonl"
)

// isBEIRQrels reports whether a file is the qrels of a BEIR folder.
func isBEIRQrels(path string, data []byte) bool {
	return bytes.HasPrefix(data, []byte("query-id")) && beirFolder(path) != ""
}

// beirFolder is the folder with queries and corpus that a file of qrels lies in,
// or in whose qrels/ it lies; "" where there is none.
func beirFolder(qrels string) string {
	for dir, n := filepath.Dir(qrels), 0; n < 2; dir, n = filepath.Dir(dir), n+1 {
		if _, err := os.Stat(filepath.Join(dir, "queries.jsonl")); err == nil {
			return dir
		}
	}
	return ""
}

// openBEIR reads a data set in BEIR's form: path is its folder or one of its files
// of qrels. The questions are those that the qrels judge.
func openBEIR(path string) (*Set, error) {
	dir, qrels := path, path
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		files := globs(dir, "qrels.tsv", "qrels/*.tsv")
		if len(files) != 1 {
			return nil, fmt.Errorf("%s has %d files of qrels: name one of them", dir, len(files))
		}
		qrels = files[0]
	} else {
		dir = beirFolder(path)
	}
	texts, err := readBEIR(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	data, err := readAll(qrels)
	if err != nil {
		return nil, err
	}
	set := &Set{Format: BEIR}
	if set.Questions, err = readQrels(data); err != nil {
		return nil, fmt.Errorf("%s: %w", qrels, err)
	}
	known := make(map[string]string, len(texts))
	for _, t := range texts {
		known[t.ID] = t.Text
	}
	for i := range set.Questions {
		q := &set.Questions[i]
		if q.Question = known[q.ID]; q.Question == "" {
			return nil, fmt.Errorf("%s: %w: question %s is not in queries.jsonl", qrels, jsonl.ErrFormat, q.ID)
		}
	}
	corpus, err := readBEIR(filepath.Join(dir, "corpus.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return set, nil
	}
	if err != nil {
		return nil, err
	}
	for _, t := range corpus {
		set.Articles = append(set.Articles, t.candidate())
	}
	return set, nil
}

type beirText struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// candidate takes the title for a law's, with the article's label at its end where
// there is one; a text without a title is a document of its own.
func (t *beirText) candidate() Candidate {
	law, label := cutName(t.Title)
	if law == "" {
		law = t.ID
	}
	return Candidate{ID: t.ID, Law: law, Label: label, Text: t.Text}
}

// readBEIR reads queries.jsonl or corpus.jsonl.
func readBEIR(path string) ([]beirText, error) {
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	var out []beirText
	err = jsonl.Each(bytes.NewReader(data), func(t *beirText) error {
		switch {
		case t.ID == "":
			return missing("_id", "a text")
		case strings.TrimSpace(t.Text) == "" && t.Title == "":
			return missing("text", "text "+t.ID)
		}
		out = append(out, *t)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}
