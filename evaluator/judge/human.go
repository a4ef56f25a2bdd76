package judge

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"lexagent/prompts"
)

// Ratings are what people gave answers, by Item.Code; each answer has one entry per
// person.
type Ratings map[string][][dimensions]float64

// ErrForm is returned, wrapped with the line, when a rating form isn't one or is
// filled in wrongly.
var ErrForm = errors.New("bad rating form")

// Read adds the ratings of a form that one person has filled in: CSV with the
// columns code, relevance, accuracy, completeness and fluency among others. A row
// without any rating is an answer that the person left out.
func (r Ratings) Read(in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	c := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	head, err := c.Read()
	if err != nil {
		return fmt.Errorf("%w: it can't be read as CSV: %w", ErrForm, err)
	}
	code := column(head, "code")
	var at [dimensions]int
	for i, name := range names {
		if at[i] = column(head, name); at[i] < 0 || code < 0 {
			return fmt.Errorf("line 1: %w: the columns code, %s are needed", ErrForm, strings.Join(names[:], ", "))
		}
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrForm, err)
		}
		line, _ := c.FieldPos(0)
		s, rated, err := rating(row, at)
		if err != nil {
			return fmt.Errorf("line %d: %w: %w", line, ErrForm, err)
		}
		if rated {
			key := strings.TrimSpace(row[code])
			r[key] = append(r[key], s)
		}
	}
}

// ReadFile adds the ratings of a form; see Read.
func (r Ratings) ReadFile(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := r.Read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func column(head []string, name string) int {
	return slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
}

func rating(row []string, at [dimensions]int) (s [dimensions]float64, rated bool, err error) {
	empty := 0
	for i, c := range at {
		text := strings.TrimSpace(row[c])
		if text == "" {
			empty++
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= prompts.LowestScore && v <= prompts.HighestScore) {
			return s, false, fmt.Errorf("%s is %q; it must be a number from %d to %d", names[i], text, prompts.LowestScore, prompts.HighestScore)
		}
		s[i] = v
	}
	if empty > 0 && empty < dimensions {
		return s, false, errors.New("an answer needs all four ratings, or none")
	}
	return s, empty == 0, nil
}

// mean is the mean of what people gave an answer.
func (r Ratings) mean(code string) (s [dimensions]float64, ok bool) {
	all := r[code]
	for _, one := range all {
		for i := range s {
			s[i] += one[i] / float64(len(all))
		}
	}
	return s, len(all) > 0
}
