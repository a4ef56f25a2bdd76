package corpus

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"lexagent/statute"
)

// unitRecord is a line of articles.jsonl.
type unitRecord struct {
	ID       string   `json:"id"`
	LawID    string   `json:"law_id"`
	LawTitle string   `json:"law_title"`
	Part     string   `json:"part"` // 编, where a law is kept in parts
	Kind     string   `json:"kind"`
	Label    string   `json:"label"`
	Number   int      `json:"number"`
	Sub      int      `json:"sub"`
	Level    *int     `json:"level"`
	Path     []string `json:"path"`
	Text     *string  `json:"text"`
	Current  *bool    `json:"current"`
}

// jsonlReader reads the units of one file, law after law.
type jsonlReader struct {
	path  string
	laws  map[string]*lawRecord // by law_id; nil without a laws.jsonl beside
	yield func(*Document, error) bool

	doc      *Document
	key      string            // law_id, or the title, of doc
	versions map[string]string // versions found in the text, by key, so that a law that comes again keeps its own
	done     bool              // the consumer has had enough
}

// readJSONL reads a corpus of units, one a line.
func readJSONL(ctx context.Context, path string, yield func(*Document, error) bool) {
	f, err := openLines(path)
	if err != nil {
		yield(nil, err)
		return
	}
	defer f.Close() //nolint:errcheck // only read from
	j := &jsonlReader{path: path, yield: yield, versions: map[string]string{}}
	lines := newLineReader(f)
	known := false // what the lines are
	for !j.done {
		if lines.line%256 == 0 && ctx.Err() != nil {
			yield(nil, ctx.Err())
			return
		}
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			j.flush()
			if !known && !j.done {
				yield(nil, &ReadError{Path: path, Reason: "no line could be read", Err: ErrNotCorpus})
			}
			return
		case errors.Is(err, errLongLine):
			j.fail(lines.line, err)
			continue
		case err != nil:
			j.flush()
			j.fail(lines.line, fmt.Errorf("the file breaks off: %w", err))
			return
		case len(line) == 0:
			continue
		}
		if !known {
			switch shapeOf(line) {
			case shapeUnits:
				known = true
				j.join()
			case shapeLaws:
				readLaws(ctx, path, yield)
				return
			case shapeOther:
				yield(nil, &ReadError{Path: path, Line: lines.line, Err: ErrNotCorpus,
					Reason: "the lines are not units of laws; the fields law_id, law_title, label and text are expected"})
				return
			}
		}
		j.line(line, lines.line)
	}
}

// openLines opens a file of lines, through gunzip where its name says so.
func openLines(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &ReadError{Path: path, Reason: "the file can't be opened: " + err.Error(), Err: err}
	}
	if !strings.HasSuffix(strings.ToLower(path), ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		err = errors.Join(err, f.Close())
		return nil, &ReadError{Path: path, Reason: "this is not a gzip file", Err: err}
	}
	return gzipFile{z, f}, nil
}

// gzipFile closes both the decompressor and its file.
type gzipFile struct {
	*gzip.Reader
	file *os.File
}

// Close closes both.
func (g gzipFile) Close() error { return errors.Join(g.Reader.Close(), g.file.Close()) }

// shape is what the lines of a file are.
type shape int

const (
	shapeBroken shape = iota // no JSON object: the next line may tell
	shapeUnits
	shapeLaws
	shapeOther
)

// shapeOf judges by the names of a line's fields.
func shapeOf(line []byte) shape {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return shapeBroken
	}
	has := func(name string) bool { return fields[name] != nil }
	switch {
	case has("text") && (has("label") || has("kind")) && (has("law_id") || has("law_title")):
		return shapeUnits
	case has("title") && has("id") && (has("version_date") || has("publish_date")):
		return shapeLaws
	}
	return shapeOther
}

// join loads the dates of the laws from the file beside the units.
func (j *jsonlReader) join() {
	path := companion(j.path)
	if path == "" {
		return
	}
	j.laws = loadLaws(path, func(line int, err error) {
		if !j.done {
			j.done = !j.yield(nil, &ReadError{Path: path, Line: line, Reason: err.Error(), Err: err})
		}
	})
}

// line takes one line of the file.
func (j *jsonlReader) line(line []byte, number int) {
	var r unitRecord
	if err := json.Unmarshal(line, &r); err != nil {
		j.failLine(number, line, jsonReason(err))
		return
	}
	u, err := r.unit()
	if err != nil {
		j.failLine(number, line, err)
		return
	}
	key := r.LawID
	if key == "" {
		key = "title:" + r.LawTitle + "\n" + r.Part
	}
	if j.doc == nil || key != j.key {
		j.flush()
		j.key = key
		j.doc = j.begin(&r, number)
	}
	j.doc.Units = append(j.doc.Units, u)
}

// jsonReason turns the decoder's error into a sentence.
func jsonReason(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("the field %s has the wrong type (%s): %w", wrong.Field, wrong.Value, err)
	}
	return fmt.Errorf("the line is not JSON: %w", err)
}

// unnamed are the labels of units that print none.
var unnamed = map[statute.Kind]string{statute.Preamble: "前言", statute.Whole: "全文"}

// unit makes a unit of a record, without ids.
func (r *unitRecord) unit() (statute.Unit, error) {
	if r.LawTitle == "" {
		return statute.Unit{}, errors.New("the field law_title is missing")
	}
	if r.Text == nil {
		return statute.Unit{}, errors.New("the field text is missing")
	}
	u := statute.Unit{SourceID: r.ID, Kind: statute.Kind(r.Kind), Label: tidy(r.Label), Number: r.Number, Sub: r.Sub, Path: r.Path}
	number, sub, err := statute.ParseLabel(u.Label)
	switch u.Kind {
	case statute.Article:
		if r.Number == 0 && err == nil {
			u.Number, u.Sub = number, sub
		}
	case statute.Preamble, statute.Item, statute.Section, statute.Attachment, statute.Whole:
	case "":
		u.Kind = statute.Section
		if err == nil {
			u.Kind, u.Number, u.Sub = statute.Article, number, sub
		}
	default:
		return statute.Unit{}, fmt.Errorf("the field kind has an unknown value %.40q", r.Kind)
	}
	if u.Number < 0 || u.Sub < 0 {
		return statute.Unit{}, errors.New("the field number is negative")
	}
	if u.Label == "" {
		if u.Label = unnamed[u.Kind]; u.Label == "" {
			return statute.Unit{}, errors.New("the field label is missing")
		}
	}
	if r.Part != "" && (len(u.Path) == 0 || squeeze(u.Path[0]) != squeeze(r.Part)) {
		u.Path = append([]string{r.Part}, u.Path...)
	}
	u.Text = trimLabel(&u, trim(*r.Text))
	return u, nil
}

// trimLabel takes the label off the head of an attachment's text, where some
// corpora repeat it, so that a text is the same from every source.
func trimLabel(u *statute.Unit, text string) string {
	if u.Kind != statute.Attachment {
		return text
	}
	first, more, _ := strings.Cut(text, "\n")
	label, rest, ok := attachmentOf(block{text: first, depth: 1})
	if !ok || label != squeeze(u.Label) {
		return text
	}
	return trim(rest + "\n" + more)
}

// begin makes the document of the law that r belongs to.
func (j *jsonlReader) begin(r *unitRecord, line int) *Document {
	doc := &Document{Source: fmt.Sprintf("%s:%d", j.path, line)}
	law := &doc.Law
	law.Title = tidy(r.LawTitle)
	header := ""
	if meta := j.laws[r.LawID]; meta != nil {
		header = meta.fill(doc)
	} else if r.Current != nil && !*r.Current {
		law.Declared = statute.Superseded
	}
	region := law.Region
	describe(law, header)
	if region != "" {
		law.Region = region
	}
	if r.Level != nil && *r.Level >= 0 && *r.Level <= 6 {
		law.Level = statute.Level(*r.Level)
	}
	if r.LawID != "" {
		law.SourceIDs = []string{r.LawID}
	}
	if law.Version == "" {
		law.Version = j.versions[j.key]
	}
	return doc
}

// flush hands the current document over.
func (j *jsonlReader) flush() {
	if j.doc == nil || j.done {
		return
	}
	doc := j.doc
	j.doc = nil
	dated := doc.Law.Version != ""
	doc.Coverage = countUnits(doc.Units)
	finish(doc)
	if !dated {
		j.versions[j.key] = doc.Law.Version
	}
	j.done = !j.yield(doc, nil)
}

// fail hands over what is wrong at a line.
func (j *jsonlReader) fail(line int, err error) { j.failLine(line, nil, err) }

// failLine hands over what is wrong with a line that is lost.
func (j *jsonlReader) failLine(number int, line []byte, err error) {
	if !j.done {
		j.done = !j.yield(nil, &ReadError{Path: j.path, Line: number, Reason: err.Error(), Chars: chars(string(line)), Err: err})
	}
}
