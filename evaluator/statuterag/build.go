package statuterag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/book"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/jsonl"
	"lexagent/statute"
)

// Item is a single-choice question.
type Item struct {
	ID          string   `json:"id"`
	Stem        string   `json:"stem"`
	Options     []Option `json:"options"`
	Answer      string   `json:"answer"`      // key of the right option
	Explanation string   `json:"explanation"` // why; may speak of each option by its key
	References  []string `json:"references"`  // articles: 《广告法》第九条
	Type        string   `json:"type"`
}

// Option is one answer to choose from.
type Option struct {
	Key        string   `json:"key"`
	Text       string   `json:"text"`
	References []string `json:"references"` // of this option; else what the explanation says of it, else the item's
}

// ReadItems reads questions, one a line.
func ReadItems(r io.Reader) ([]Item, error) {
	var items []Item
	seen := map[string]bool{}
	err := jsonl.Each(r, func(it *Item) error {
		switch {
		case it.ID == "" || seen[it.ID]:
			return fmt.Errorf("%w: the id %q is empty or was used before", jsonl.ErrFormat, it.ID)
		case len(it.Options) == 0:
			return fmt.Errorf("%w: no \"options\" of question %s", jsonl.ErrFormat, it.ID)
		}
		seen[it.ID] = true
		items = append(items, *it)
		return nil
	})
	return items, err
}

// Book is what statements need of a statute book; *book.Book is one.
type Book interface {
	Laws(collections []string) []*statute.Law
	Units(ctx context.Context, l *statute.Law) ([]statute.Unit, error)
	Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]book.Mention, error)
}

// Options of Build.
type Options struct {
	Collections []string     // of the book; nil = public
	Day         statute.Date // whose law is looked up
}

// minStatement is the length in characters below which a statement asks nothing.
const minStatement = 10

var (
	inContext   = regexp.MustCompile(`上题|上述案例|上述材料|下图|如图|图中|根据(?:以下|上述|下列)?材料|接上|同上|该案例`)
	askedFor    = regexp.MustCompile(`[，,]?(?:下列|以下)(?:[^，。（(]{0,12}?)(?:说法|表述|选项|陈述|做法|行为|情形)?(?:中)?[，,]?(?:不正确|错误|不符合[^，。（(]{0,8}|不属于[^，。（(]{0,12}|正确|符合[^，。（(]{0,8}规定)的(?:是|有)?[：:]?$`)
	saysNot     = regexp.MustCompile(`不正确的|错误的|不符合`)
	negation    = regexp.MustCompile(`不正确|错误的|不属于|不包括|不符合|除外|例外`)
	otherOption = regexp.MustCompile(`^(?:以上|上述)|都对|都不对|均正确|均不正确|[A-H][和、与][A-H]`)
	blank       = regexp.MustCompile(`（[\s　]*）|\([\s　]*\)|_{2,}|＿+`)
	byOption    = regexp.MustCompile(`(?:选项|^|[。；;\s])([A-H])(?:项|选项)?[、，,：:．.]?`)
)

// Build makes statements of questions.
func Build(ctx context.Context, items []Item, bk Book, o Options) (*Built, error) {
	if o.Collections == nil {
		o.Collections = []string{book.DefaultCollection}
	}
	b := &Built{}
	for i := range items {
		if err := b.item(ctx, &items[i], bk, o); err != nil {
			return nil, err
		}
	}
	b.unique()
	if len(b.Statements) == 0 {
		return b, errors.New("no question made a statement; see the reasons")
	}
	return b, nil
}

func (b *Built) item(ctx context.Context, it *Item, bk Book, o Options) error {
	stem, opposite, reason := it.prepare()
	if reason != "" {
		b.exclude(it.ID, reason, it.Stem)
		return nil
	}
	for _, op := range it.Options {
		id := it.ID + "-" + op.Key
		text := combine(stem, strings.TrimSpace(op.Text))
		switch {
		case otherOption.MatchString(op.Text):
			b.exclude(id, OtherOption, op.Text)
			continue
		case utf8.RuneCountInString(text) < minStatement:
			b.exclude(id, Trivial, text)
			continue
		}
		gold, err := it.articles(ctx, &op, bk, o)
		if err != nil {
			return err
		}
		if len(gold) == 0 {
			b.exclude(id, NoArticle, text)
			continue
		}
		label := (op.Key == strings.TrimSpace(it.Answer)) != opposite
		b.Statements = append(b.Statements, Statement{
			Question: dataset.Question{ID: id, Question: text, Type: it.Type, Group: it.ID, Label: &label, Gold: gold},
			Basis:    it.Explanation, How: "option " + op.Key,
		})
	}
	return nil
}

// prepare returns the stem without what only asks to choose, and whether the right
// option is the false one; or why the question can't be used.
func (it *Item) prepare() (stem string, opposite bool, reason string) {
	stem = strings.TrimRight(strings.TrimSpace(it.Stem), "。？?")
	answer := strings.TrimSpace(it.Answer)
	switch {
	case stem == "":
		return "", false, NoStem
	case utf8.RuneCountInString(answer) > 1:
		return "", false, Several
	case !slices.ContainsFunc(it.Options, func(o Option) bool { return o.Key == answer }):
		return "", false, NoAnswer
	case inContext.MatchString(stem):
		return "", false, InContext
	}
	bare := strings.TrimSpace(blank.ReplaceAllString(stem, ""))
	if at := askedFor.FindStringIndex(bare); at != nil {
		asked := bare[at[0]:]
		if strings.Contains(asked, "不属于") {
			return "", false, Negated
		}
		if stem = bare[:at[0]]; stem != "" {
			stem += "，"
		}
		return stem, saysNot.MatchString(asked), ""
	}
	if negation.MatchString(stem) {
		return "", false, Negated
	}
	return stem, false, ""
}

// combine makes a statement of a stem and an option: the option fills the blank, or
// follows where there is none.
func combine(stem, option string) string {
	option = strings.TrimRight(option, "。；;")
	text := stem + option
	if at := blank.FindStringIndex(stem); at != nil {
		text = stem[:at[0]] + option + stem[at[1]:]
	}
	return strings.TrimRight(text, "。") + "。"
}

// articles looks up the articles of an option: those given for it, else those in what
// the explanation says of it, else those of the whole question.
func (it *Item) articles(ctx context.Context, op *Option, bk Book, o Options) ([]dataset.Article, error) {
	for _, text := range []string{
		strings.Join(op.References, "；"), it.says(op.Key), strings.Join(it.References, "；"), it.Explanation,
	} {
		if text == "" {
			continue
		}
		found, err := lookUp(ctx, bk, text, o)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// says is the part of the explanation that speaks of one option.
func (it *Item) says(key string) string {
	marks := byOption.FindAllStringSubmatchIndex(it.Explanation, -1)
	var out []string
	for i, m := range marks {
		if it.Explanation[m[2]:m[3]] != key {
			continue
		}
		end := len(it.Explanation)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		out = append(out, it.Explanation[m[1]:end])
	}
	return strings.Join(out, "\n")
}

// lookUp finds the articles that a text names in the book.
func lookUp(ctx context.Context, bk Book, text string, o Options) ([]dataset.Article, error) {
	mentions, err := bk.Mentions(ctx, o.Collections, text, nil, o.Day)
	if err != nil {
		return nil, fmt.Errorf("look up the articles of %.60q: %w", text, err)
	}
	var out []dataset.Article
	for _, m := range mentions {
		if m.Outcome != book.Found || m.Unit == nil || slices.ContainsFunc(out, func(a dataset.Article) bool { return a.ID == m.Unit.ID }) {
			continue
		}
		out = append(out, dataset.Article{ID: m.Unit.ID, Law: m.Law.Title, Label: m.Unit.Label, Grade: 1})
	}
	return out, nil
}

// UnmarshalJSON reads options as a list of objects or of texts, or as an object by
// key.
func (it *Item) UnmarshalJSON(raw []byte) error {
	type bare Item
	v := struct {
		*bare
		ID         json.RawMessage `json:"id"`
		Options    json.RawMessage `json:"options"`
		References json.RawMessage `json:"references"`
	}{bare: (*bare)(it)}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	it.ID = strings.Trim(string(v.ID), `"`)
	if len(v.References) > 0 {
		var one string
		if json.Unmarshal(v.References, &one) == nil {
			it.References = []string{one}
		} else if err := json.Unmarshal(v.References, &it.References); err != nil {
			return fmt.Errorf("references: %w", err)
		}
	}
	return it.options(v.Options)
}

func (it *Item) options(raw json.RawMessage) error {
	var byKey map[string]string
	var texts []string
	switch {
	case len(raw) == 0:
		return nil
	case json.Unmarshal(raw, &byKey) == nil:
		for key, text := range byKey {
			it.Options = append(it.Options, Option{Key: key, Text: text})
		}
		slices.SortFunc(it.Options, func(a, b Option) int { return strings.Compare(a.Key, b.Key) })
		return nil
	case json.Unmarshal(raw, &texts) == nil:
		for i, text := range texts {
			it.Options = append(it.Options, Option{Key: string(rune('A' + i)), Text: text})
		}
		return nil
	}
	if err := json.Unmarshal(raw, &it.Options); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	return nil
}
