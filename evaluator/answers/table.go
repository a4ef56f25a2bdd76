package answers

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/evaluator/jsonl"
)

// Columns are the columns of a table of predictions: id and one of text, answer and
// response are needed, the others may be left out, and any further ones are passed
// over. The first row names them, in any order. Fields are separated by commas,
// semicolons or tabs, whichever the first row has.
var Columns = []string{"id", "text", "answer", "response", "kind", "system", "setting"}

// isTable tells by the first characters, without consuming them, whether r holds a
// table: JSON begins with a brace or a bracket.
func isTable(r *bufio.Reader) (bool, error) {
	b, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
	return len(b) > 0 && b[0] != '{' && b[0] != '[', nil
}

// readTable reads a table of predictions.
func readTable(r io.Reader) ([]Prediction, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if at := invalid(data); at >= 0 {
		return nil, fmt.Errorf("line %d: %w: not UTF-8; save the table as CSV in UTF-8", 1+bytes.Count(data[:at], []byte("\n")), jsonl.ErrFormat)
	}
	c := csv.NewReader(bytes.NewReader(data))
	c.FieldsPerRecord = -1 // told below, with what is expected
	c.Comma = separator(data)
	head, err := c.Read()
	if err != nil {
		return nil, tableError(err)
	}
	at, err := columns(head)
	if err != nil {
		return nil, err
	}
	var ps []Prediction
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return ps, nil
		}
		if err != nil {
			return nil, tableError(err)
		}
		line, _ := c.FieldPos(0)
		if len(row) != len(head) {
			return nil, fmt.Errorf("line %d: %w: it has %d fields and the first line %d", line, jsonl.ErrFormat, len(row), len(head))
		}
		p := prediction(row, at)
		if p.ID == "" {
			return nil, fmt.Errorf("line %d: %w: its id is empty", line, jsonl.ErrFormat)
		}
		ps = append(ps, p)
	}
}

// invalid is the place of the first byte that is not UTF-8, or -1.
func invalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// separator is what stands between the fields: the first of comma, semicolon and tab
// that the first line has.
func separator(data []byte) rune {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	for _, r := range []rune{',', ';', '\t'} {
		if bytes.ContainsRune(head, r) {
			return r
		}
	}
	return ','
}

// tableError names the line of an error of the CSV reader.
func tableError(err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return fmt.Errorf("line %d: %w: %w", at.Line, jsonl.ErrFormat, at.Err)
	}
	return fmt.Errorf("%w: %w", jsonl.ErrFormat, err)
}

// columns finds the columns of a table by their names.
func columns(head []string) (map[string]int, error) {
	at := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, twice := at[name]; twice && slices.Contains(Columns, name) {
			return nil, fmt.Errorf("line 1: %w: there are two columns %q", jsonl.ErrFormat, name)
		}
		at[name] = i
	}
	_, id := at["id"]
	if !id || answerColumn(at) < 0 {
		return nil, fmt.Errorf("line 1: %w: this is neither JSON lines nor a table with the columns id and answer (or text, or response); its columns are %q",
			jsonl.ErrFormat, head)
	}
	return at, nil
}

// answerColumn is the place of the column that holds the answers, or -1.
func answerColumn(at map[string]int) int {
	for _, name := range []string{"text", "answer", "response"} {
		if i, ok := at[name]; ok {
			return i
		}
	}
	return -1
}

func prediction(row []string, at map[string]int) Prediction {
	cell := func(name string) string {
		if i, ok := at[name]; ok {
			return strings.TrimSpace(row[i])
		}
		return ""
	}
	return Prediction{
		ID: cell("id"), Text: row[answerColumn(at)], Kind: cell("kind"), System: strings.TrimSpace(cell("system") + " " + cell("setting")),
	}
}
