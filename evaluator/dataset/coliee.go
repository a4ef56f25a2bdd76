package dataset

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lexagent/evaluator/jsonl"
	"lexagent/statute"
)

// errNoPairs is returned when a folder has no file of pairs.
var errNoPairs = errors.New("no XML files")

// readCOLIEE reads pairs of articles and a statement. Test data has neither
// articles nor labels.
func readCOLIEE(data []byte) ([]Question, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	var qs []Question
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			return qs, nil
		}
		if err != nil {
			return nil, at(line, fmt.Errorf("%w: %w", jsonl.ErrFormat, err))
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "pair" {
			continue
		}
		var p colieePair
		if err := d.DecodeElement(&p, &start); err != nil {
			return nil, at(line, fmt.Errorf("%w: %w", jsonl.ErrFormat, err))
		}
		q, err := p.question()
		if err != nil {
			return nil, at(line, err)
		}
		qs = append(qs, q)
	}
}

type colieePair struct {
	ID        string  `xml:"id,attr"`
	Label     *string `xml:"label,attr"`
	Articles  string  `xml:"t1"`
	Statement *string `xml:"t2"`
}

func (p *colieePair) question() (Question, error) {
	if p.ID == "" {
		return Question{}, missing("id", "a pair")
	}
	if p.Statement == nil || strings.TrimSpace(*p.Statement) == "" {
		return Question{}, missing("t2", "pair "+p.ID)
	}
	q := Question{ID: p.ID, Question: strings.TrimSpace(*p.Statement)}
	if p.Label != nil {
		if *p.Label != "Y" && *p.Label != "N" {
			return Question{}, fmt.Errorf("%w: the label of pair %s is %q; it must be Y or N", jsonl.ErrFormat, p.ID, *p.Label)
		}
		yes := *p.Label == "Y"
		q.Label = &yes
	}
	for _, c := range civilCode(p.Articles) {
		q.Gold = append(q.Gold, Article{ID: c.ID, Law: c.Law, Label: c.Label, Text: c.Text})
	}
	if len(q.Gold) == 0 && strings.TrimSpace(p.Articles) != "" {
		return Question{}, fmt.Errorf("%w: no article number in \"t1\" of pair %s", jsonl.ErrFormat, p.ID)
	}
	return q, q.check()
}

// The head of an article at the beginning of a line, a heading in brackets before
// it at most: "(Fraud or Duress)Article 96(1)…", "第九十六条　…", "第三条の二　…". A
// sentence that begins with a reference goes on after it (第三条の規定…).
var (
	englishHead  = regexp.MustCompile(`^(\([A-Z][^()]*\))?\s*Article\s+([0-9]+)(?:-([0-9]+))?([\s(].*)?$`)
	japaneseHead = regexp.MustCompile(`^(（[^（）]*）)?\s*第\s*([零〇一二三四五六七八九十百千0-9０-９]+)\s*条(?:の([一二三四五六七八九十0-9０-９]+))?([\s　（(].*)?$`)
	// A heading in brackets stands on a line of its own before its article; parts,
	// chapters and sections stand above several.
	ownHeading  = regexp.MustCompile(`^(?:\([A-Z][^()]*\)|（[^（）]*）)$`)
	overHeading = regexp.MustCompile(`^(?:(?:Part|Chapter|Section|Subsection|Division) [IVX0-9-]+ .*|第[一二三四五六七八九十百]+(?:編|章|節|款|目)(?:の[一二三四五六七八九十]+)?[\s　].*)$`)
)

// civilCode cuts a text into the articles of the Japanese Civil Code. Their ids are
// COLIEE's: 96, 3-2.
func civilCode(text string) []Candidate {
	var out []Candidate
	heading := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		c, ok := codeHead(line)
		switch {
		case ok:
			c.Text = strings.TrimSpace(heading + "\n" + strings.TrimSpace(c.Text))
			heading = ""
			out = append(out, c)
		case ownHeading.MatchString(line):
			heading = line
		case overHeading.MatchString(line):
			heading = ""
		case len(out) > 0 && line != "":
			last := &out[len(out)-1]
			last.Text = strings.TrimSpace(last.Text + "\n" + line)
		}
	}
	return out
}

// codeHead reads the head of an article and what follows it on its line.
func codeHead(line string) (Candidate, bool) {
	m, english := englishHead.FindStringSubmatch(line), true
	if m == nil {
		m, english = japaneseHead.FindStringSubmatch(line), false
	}
	if m == nil {
		return Candidate{}, false
	}
	number, err := statute.ParseNumeral(m[2])
	if err != nil {
		return Candidate{}, false
	}
	c := Candidate{ID: strconv.Itoa(number), Law: "民法", Label: fmt.Sprintf("第%d条", number), Text: m[1] + "\n" + strings.TrimSpace(m[4])}
	if m[3] != "" {
		sub, err := statute.ParseNumeral(m[3])
		if err != nil {
			return Candidate{}, false
		}
		c.ID += fmt.Sprintf("-%d", sub)
		c.Label += fmt.Sprintf("之%d", sub)
	}
	if english {
		c.Law, c.Label = "Civil Code", "Article "+c.ID
	}
	return c, true
}

// openCOLIEE reads a folder of pairs: its XML files and those in train/, in the
// order of their names, and the Civil Code in text/ or beside them.
func openCOLIEE(dir string) (*Set, error) {
	set := &Set{Format: COLIEE}
	files := globs(dir, "*.xml", "train/*.xml")
	if len(files) == 0 {
		return nil, errNoPairs
	}
	for _, path := range files {
		data, err := readAll(path)
		if err != nil {
			return nil, err
		}
		qs, err := readCOLIEE(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		set.Questions = append(set.Questions, qs...)
	}
	for _, path := range globs(dir, "civil_code*.txt", "text/civil_code*.txt") {
		data, err := readAll(path)
		if err != nil {
			return nil, err
		}
		set.Articles = append(set.Articles, civilCode(string(data))...)
	}
	return set, nil
}

// globs lists the files of a folder that match any of the patterns, sorted.
func globs(dir string, patterns ...string) []string {
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(escape(dir), p))
		if err != nil {
			continue // only of a malformed pattern, and these are ours
		}
		for _, f := range found {
			if info, err := os.Stat(f); err == nil && !info.IsDir() {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out
}

// escape keeps a folder's name from being taken for a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
