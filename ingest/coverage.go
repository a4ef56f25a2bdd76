package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"lexagent/book"
	"lexagent/corpus"
)

// File is what one input brought. The book keeps it, so that a report tells it also
// of inputs that were stored before.
type File struct {
	Path      string   `json:"path"`
	Unchanged bool     `json:"unchanged,omitempty"` // it was stored before
	Laws      int      `json:"laws"`
	Units     int      `json:"units"`
	Coverage  Coverage `json:"coverage"`
}

// Coverage adds up where the characters of a source went, white space apart. Of
// corpora that are split into units already, the characters of these count, and those
// of the lines that could not be read.
type Coverage struct {
	Chars    int     `json:"chars"`
	InUnits  int     `json:"in_units"`
	Headings int     `json:"in_headings"`
	Rest     int     `json:"rest"`   // listed by the readers: headers, comments, contents
	Missed   int     `json:"missed"` // in none of these
	Share    float64 `json:"share"`  // that is in units, headings or the rest; 0 where nothing was read
	First    *Place  `json:"first_missed,omitempty"`
}

// Place is where in a source something stands.
type Place struct {
	Line int    `json:"line,omitempty"` // line, paragraph (HTML, DOCX) or page (PDF), from 1; 0 = not known
	Text string `json:"text"`           // how it begins, or why it could not be read
}

// leastCovered is the share of a file that must be accounted for; below it the report
// warns.
const leastCovered = 0.995

// add adds what a reader counted in one law.
func (c *Coverage) add(d *corpus.Coverage) {
	c.Chars += d.Chars
	c.InUnits += d.InUnits
	c.Headings += d.InHeadings
	c.Rest += d.RestChars()
	c.Missed += d.MissedChars()
	if c.First == nil && len(d.Missed) > 0 {
		c.First = &Place{Line: d.Missed[0].Line, Text: d.Missed[0].Why}
	}
	c.share()
}

// join adds the figures of a file to those of all.
func (c *Coverage) join(f *Coverage) {
	c.Chars += f.Chars
	c.InUnits += f.InUnits
	c.Headings += f.Headings
	c.Rest += f.Rest
	c.Missed += f.Missed
	c.share()
}

func (c *Coverage) share() {
	if c.Chars > 0 {
		c.Share = 1 - float64(c.Missed)/float64(c.Chars)
	}
}

// percent is the share, cut and not rounded: 100 % means that nothing is missed.
func (c *Coverage) percent() string {
	const places = 100
	return strconv.FormatFloat(float64(int(c.Share*100*places))/places, 'f', 2, 64) + " %"
}

// lose counts a line that could not be read.
func (f *File) lose(err error) {
	var re *corpus.ReadError
	if !errors.As(err, &re) || re.Chars == 0 {
		return
	}
	c := &f.Coverage
	c.Chars += re.Chars
	c.Missed += re.Chars
	if c.First == nil {
		c.First = &Place{Line: re.Line, Text: re.Reason}
	}
	c.share()
}

// warning tells what of a file is in no unit.
func (f File) warning() string {
	c := &f.Coverage
	where := ""
	if c.First != nil {
		where = ", the first"
		if c.First.Line > 0 {
			where += fmt.Sprintf(" at line %d", c.First.Line)
		}
		where += fmt.Sprintf(": %s", c.First.Text)
	}
	return fmt.Sprintf("%s: only %s covered; %d characters are in no unit%s", f.Path, c.percent(), c.Missed, where)
}

// below lists the inputs of which too little is accounted for.
func (r *Report) below() []File {
	var out []File
	for _, f := range r.Sources {
		if f.Coverage.Chars > 0 && f.Coverage.Share < leastCovered {
			out = append(out, f)
		}
	}
	return out
}

// addFile adds an input to the report, unless nothing was read of it: then it is
// among what was skipped or ignored.
func (r *Report) addFile(f File) {
	if f.Coverage.Chars == 0 {
		return
	}
	r.Sources = append(r.Sources, f)
	r.Coverage.join(&f.Coverage)
}

// record is the file as the book keeps it.
func (f File) record() (json.RawMessage, error) { return json.Marshal(f) }

// storedFile is what the book keeps of an input.
func storedFile(in *book.Input) (f File) {
	if json.Unmarshal(in.Report, &f) != nil {
		f = File{} // only figures are lost
	}
	f.Path = in.Path
	return f
}
