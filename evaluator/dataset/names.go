package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"lexagent/evaluator/jsonl"
)

// named is an article at the end of its law's title: 民法典第五十四条,
// 《中华人民共和国刑法》第二百八十七条之二. What follows (第二款) is dropped.
var named = regexp.MustCompile(`^(.+?)\s*(第[零〇一二两三四五六七八九十百千0-9０-９\s]+条(?:之[一二三四五六七八九十]+)?)(?:第[^条]*[款项目])?$`)

// whole is the label of a text that is cited without an article, as package corpus
// has it.
const whole = "全文"

// article reads the name of an article.
func article(name string) Article {
	law, label := cutName(name)
	return Article{Law: law, Label: label}
}

// NamesArticle reports whether a text is the name of an article and nothing else.
func NamesArticle(text string) bool {
	_, label := cutName(text)
	return label != whole
}

func cutName(name string) (law, label string) {
	name = strings.TrimSpace(name)
	if m := named.FindStringSubmatch(name); m != nil {
		return unbracket(m[1]), m[2]
	}
	return unbracket(name), whole
}

// unbracket takes off the brackets around a whole title.
func unbracket(title string) string {
	inner, ok := strings.CutPrefix(title, "《")
	if !ok || !strings.HasSuffix(inner, "》") {
		return title
	}
	inner = strings.TrimSuffix(inner, "》")
	if strings.Count(inner, "《") != strings.Count(inner, "》") || strings.Index(inner, "》") < strings.Index(inner, "《") {
		return title
	}
	return inner
}

// libraries are the names under which STARD and LexRAG publish their articles.
var libraries = []string{"corpus.jsonl", "law_library.jsonl"}

// join reads the articles that lie beside a set of STARD's or LexRAG's form, and
// gives the golds the ids that these have.
func (s *Set) join(dir string) error {
	if s.Format != STARD && s.Format != LeCoQA && s.Format != LexRAG {
		return nil
	}
	for _, name := range libraries {
		path := filepath.Join(dir, name)
		data, err := readAll(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // golds go by name without it
		}
		if err != nil {
			return err
		}
		if s.Articles, err = readLibrary(data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		ids := make(map[string]string, len(s.Articles))
		for i := range s.Articles {
			c := &s.Articles[i]
			if key := Name(c.Law, c.Label); ids[key] == "" {
				ids[key] = c.ID
			}
		}
		for i := range s.Questions {
			for j := range s.Questions[i].Gold {
				g := &s.Questions[i].Gold[j]
				g.ID = ids[g.Name()]
			}
		}
		return nil
	}
	return nil
}

// readLibrary reads lines of {"id","name","content"}.
func readLibrary(data []byte) ([]Candidate, error) {
	type record struct {
		ID      anyID   `json:"id"`
		Name    string  `json:"name"`
		Content *string `json:"content"`
	}
	var out []Candidate
	err := records(data, func(r *record) error {
		switch {
		case r.ID == "":
			return missing("id", "an article")
		case r.Name == "":
			return missing("name", "an article")
		case r.Content == nil:
			return missing("content", "an article")
		}
		law, label := cutName(r.Name)
		out = append(out, Candidate{ID: string(r.ID), Law: law, Label: label, Text: unescape(*r.Content)})
		return nil
	})
	return out, err
}

// unescape puts line ends where a source wrote backslash-n, or nothing at the end.
func unescape(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, `\n`, "\n")) }

func missing(field, of string) error {
	return fmt.Errorf("%w: no %q of %s", jsonl.ErrFormat, field, of)
}

// anyID is an id that a source writes as a string or as a number.
type anyID string

// UnmarshalJSON reads either.
func (id *anyID) UnmarshalJSON(b []byte) error {
	s := strings.TrimSpace(string(b))
	switch {
	case s == "null":
		return nil
	case strings.HasPrefix(s, `"`):
		var text string
		if err := decode(b, &text); err != nil {
			return err
		}
		s = text
	case !number.MatchString(s):
		return fmt.Errorf("%w: an id is a string or a number, not %.20s", jsonl.ErrFormat, s)
	}
	*id = anyID(s)
	return nil
}

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
