package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lexagent/evaluator/jsonl"
)

// maxFile bounds a file in bytes; the largest known data set has 10 million.
const maxFile = 1 << 30

// ErrRun is returned, wrapped with the line, when a file holds what a search found
// and no questions; package run reads it.
var ErrRun = fmt.Errorf("%w: this is a run, not questions", jsonl.ErrFormat)

// Open reads a data set: a file in any known form, plain or gzipped, with the
// articles that lie beside it, or a folder in the form of BEIR or COLIEE.
func Open(path string) (*Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFolder(path)
	}
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	if isBEIRQrels(path, data) {
		return openBEIR(path)
	}
	set, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, set.join(filepath.Dir(path))
}

// ReadFile reads the questions of a data set; see Open.
func ReadFile(path string) ([]Question, error) {
	set, err := Open(path)
	if err != nil {
		return nil, err
	}
	return set.Questions, nil
}

// Read reads the questions of a file in any known form.
func Read(r io.Reader) ([]Question, error) {
	data, err := readBounded(r)
	if err != nil {
		return nil, err
	}
	set, err := read(data)
	if err != nil {
		return nil, err
	}
	return set.Questions, nil
}

func readAll(path string) (data []byte, err error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = readBounded(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("the file has more than %d bytes", maxFile)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

// read reads a file by its content.
func read(data []byte) (*Set, error) {
	head := bytes.TrimLeft(data, " \t\r\n")
	if len(head) == 0 {
		return &Set{Format: Gold}, nil
	}
	var set Set
	var err error
	switch head[0] {
	case '<':
		set.Format = COLIEE
		set.Questions, err = readCOLIEE(data)
	case '{', '[':
		set.Format, set.Questions, err = readJSON(data)
	default:
		set.Format = Qrels
		set.Questions, err = readQrels(data)
	}
	if err != nil {
		return nil, err
	}
	return &set, nil
}

// readJSON reads JSON in the form that the fields of the first record tell.
func readJSON(data []byte) (Format, []Question, error) {
	fields, err := firstFields(data)
	if err != nil {
		return "", nil, err
	}
	has := func(name string) bool { _, ok := fields[name]; return ok }
	switch {
	case has("问题") && has("答案文本"):
		qs, err := readSTARD(data)
		return LeCoQA, qs, err
	case has("问题"):
		qs, err := readSTARD(data)
		return STARD, qs, err
	case has("conversation"), has("current_question"):
		qs, err := readLexRAG(data)
		return LexRAG, qs, err
	case has("stem"), has("statement"):
		qs, err := readStatuteRAG(data)
		return StatuteRAG, qs, err
	case has("query") && has("document"):
		qs, err := readLegalDC(data)
		return LegalDC, qs, err
	case has("_id"):
		return "", nil, fmt.Errorf("line 1: %w: this is a part of a BEIR data set: give its folder", jsonl.ErrFormat)
	case has("name") && has("content"):
		return "", nil, fmt.Errorf("line 1: %w: these are candidate articles, not questions", jsonl.ErrFormat)
	case has("hits"):
		return "", nil, at(1, ErrRun)
	}
	qs, err := readGold(data)
	return Gold, qs, err
}

// openFolder reads a folder in the form of BEIR or COLIEE, or one with STARD's or
// LexRAG's file names.
func openFolder(dir string) (*Set, error) {
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	switch {
	case exists("queries.jsonl") && exists("corpus.jsonl"):
		return openBEIR(dir)
	case exists("queries.json"):
		return Open(filepath.Join(dir, "queries.json"))
	case exists("dataset.json"):
		return Open(filepath.Join(dir, "dataset.json"))
	}
	set, err := openCOLIEE(dir)
	if errors.Is(err, errNoPairs) {
		return nil, fmt.Errorf("%s holds no data set: expected are queries.jsonl, corpus.jsonl and qrels.tsv (BEIR), "+
			"XML files here or in train/ (COLIEE), queries.json (STARD, LeCoQA) or dataset.json (LexRAG)", dir)
	}
	return set, err
}

// readGold reads our own form, as lines or as an array.
func readGold(data []byte) ([]Question, error) {
	var qs []Question
	add := func(q *Question) error {
		if err := q.check(); err != nil {
			return err
		}
		qs = append(qs, *q)
		return nil
	}
	var err error
	if bytes.TrimLeft(data, " \t\r\n")[0] == '{' {
		err = jsonl.Each(bytes.NewReader(data), add)
	} else {
		err = records(data, add)
	}
	return qs, err
}
