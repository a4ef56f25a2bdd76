package corpus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"lexagent/statute"
)

// lawRecord is a line of laws.jsonl: what is known of one version of a law.
type lawRecord struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Part      string `json:"part"`
	Region    string `json:"region"`
	Level     *int   `json:"level"`
	Published string `json:"publish_date"`
	Effective string `json:"effective_date"`
	Version   string `json:"version_date"`
	Expired   *bool  `json:"expired"`
	Current   *bool  `json:"current"`
	Newest    *bool  `json:"newest"`
	Path      string `json:"path"`
	Events    []struct {
		Date  string `json:"date"`
		Event string `json:"event"`
	} `json:"events"`
}

// fullRecord is a lawRecord with the law's text in Markdown, which only readLaws needs.
type fullRecord struct {
	lawRecord
	Text string `json:"text"`
}

// fill puts what the record knows into the law of doc and returns its header.
func (r *lawRecord) fill(doc *Document) (header string) {
	law, lines := &doc.Law, r.header()
	law.Issuer = cmp.Or(issuerOf(lines), law.Issuer)
	law.Region = cmp.Or(r.Region, law.Region)
	law.Published = cmp.Or(doc.date("publish_date", r.Published), law.Published)
	law.Effective = cmp.Or(doc.date("effective_date", r.Effective), law.Effective)
	law.Version = cmp.Or(doc.date("version_date", r.Version).String(), law.Version)
	no := func(b *bool) bool { return b != nil && !*b }
	yes := func(b *bool) bool { return b != nil && *b }
	switch {
	case yes(r.Expired):
		law.Declared = statute.Repealed
	case no(r.Newest) || no(r.Current):
		law.Declared = statute.Superseded
	case yes(r.Current):
		law.Declared = statute.InForce
	}
	law.Header = strings.Join(lines, "\n")
	return law.Header
}

// header writes the record's events as the lines of a header.
func (r *lawRecord) header() []string {
	var lines []string
	for _, e := range r.Events {
		if day, err := parseDay(e.Date); err == nil && !day.IsZero() {
			lines = append(lines, fmt.Sprintf("%d年%d月%d日 %s", day/10000, day/100%100, day%100, e.Event))
		}
	}
	return lines
}

// loadLaws reads a laws.jsonl without its texts. Lines that can't be read are
// told to fail and left out.
func loadLaws(path string, fail func(line int, err error)) map[string]*lawRecord {
	laws := map[string]*lawRecord{}
	f, err := openLines(path)
	if err != nil {
		fail(0, err)
		return laws
	}
	defer f.Close() //nolint:errcheck // only read from
	lines := newLineReader(f)
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return laws
		case errors.Is(err, errLongLine):
			fail(lines.line, err)
			continue
		case err != nil:
			fail(lines.line, fmt.Errorf("the file breaks off: %w", err))
			return laws
		case len(line) == 0:
			continue
		}
		r := new(lawRecord)
		if err := json.Unmarshal(line, r); err != nil {
			fail(lines.line, jsonReason(err))
			continue
		}
		laws[r.ID] = r
	}
}

// readLaws reads a laws.jsonl given by itself: the Markdown texts in it are read
// like files. Beside an articles.jsonl it is only the articles' companion.
func readLaws(ctx context.Context, path string, yield func(*Document, error) bool) {
	for _, name := range []string{"articles.jsonl", "articles.jsonl.gz"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err == nil {
			yield(nil, &ReadError{Path: path, Err: ErrCompanion,
				Reason: "this file tells the dates of the laws and is read together with " + name + " beside it"})
			return
		}
	}
	f, err := openLines(path)
	if err != nil {
		yield(nil, err)
		return
	}
	defer f.Close() //nolint:errcheck // only read from
	lines := newLineReader(f)
	for {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return
		}
		var doc *Document
		if err == nil && len(line) > 0 {
			doc, err = lawDocument(path, lines.line, line)
		}
		switch {
		case err != nil:
			if !yield(nil, &ReadError{Path: path, Line: lines.line, Reason: err.Error(), Err: err}) {
				return
			}
			if !errors.Is(err, errLongLine) && line == nil {
				return // the file is broken, not a line of it
			}
		case doc != nil && !yield(doc, nil):
			return
		}
	}
}

// lawDocument reads the text in one line of a laws.jsonl.
func lawDocument(path string, number int, line []byte) (*Document, error) {
	var r fullRecord
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, jsonReason(err)
	}
	if r.Title == "" {
		return nil, errors.New("the field title is missing")
	}
	src := markdownBlocks(r.Path, r.Text)
	src.title, src.part, src.header, src.bodyAt = tidy(r.Title), r.Part, r.header(), 0
	doc := structure(src)
	doc.Source = fmt.Sprintf("%s:%d", path, number)
	law := &doc.Law
	r.fill(doc)
	if r.Level != nil && *r.Level >= 0 && *r.Level <= 6 {
		law.Level = statute.Level(*r.Level)
	}
	if r.ID != "" {
		law.SourceIDs = []string{r.ID}
	}
	finish(doc)
	return doc, nil
}
