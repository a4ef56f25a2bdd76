package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"golang.org/x/sync/errgroup"

	"lexagent/book"
	"lexagent/graph"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// Options say what is measured.
type Options struct {
	Search    graph.Searcher
	Check     graph.Checker
	Meaning   graph.Meaning
	Review    graph.Reviewer // nil: without a language model's review
	Book      *book.Book
	Day       statute.Date // today
	Questions []string
	Kinds     []Kind
	Each      int // drafts of a kind
	Seed      uint64
	Progress  func(done, total int)
}

// Outcome is what became of one draft.
type Outcome struct {
	Draft
	Answer  *graph.Answer
	Removed bool // the false words did not leave
	Put     bool // the citation was put right
	Marked  bool // they left with a note about them
	Changed bool // a true draft did not leave as it was, or left with a note
	False   int  // findings in what left that say the book says otherwise, and are not marked
	Layers  Layers
}

// Layers tell which checks objected to a draft.
type Layers struct {
	Text      bool // of references, quotations and figures
	Meaning   bool // of what its sentences say
	Review    bool // the language model's
	NoVerdict bool // the review has no verdict on a side of the draft: not checked
}

// Caught reports whether the fault was taken out, put right or marked.
func (o *Outcome) Caught() bool { return o.Removed || o.Put || o.Marked }

// Run makes the drafts, treats them and returns what became of each, by kind in the
// order asked for.
func Run(ctx context.Context, o Options) ([]Outcome, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	repealed, err := o.repealed(ctx)
	if err != nil {
		return nil, err
	}
	want := map[Kind]int{}
	for _, k := range o.Kinds {
		want[k] = o.Each
	}
	byKind := map[Kind][]*Outcome{}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	left := o.Each * len(o.Kinds)
	total, done := left, atomic.Int32{}
	for _, n := range rng.Perm(len(o.Questions)) {
		if left == 0 || within.Err() != nil {
			break
		}
		m, err := o.material(ctx, rng, o.Questions[n], repealed)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		planted := false
		for _, i := range rng.Perm(len(o.Kinds)) {
			k := o.Kinds[i]
			if planted || want[k] == 0 {
				continue
			}
			d, ok := m.plant(k)
			if !ok {
				continue
			}
			out := &Outcome{}
			byKind[k] = append(byKind[k], out)
			want[k]--
			left--
			planted = true
			group.Go(func() error {
				made, err := o.treat(within, d)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", k, d.Question, err)
				}
				*out = *made
				if o.Progress != nil {
					o.Progress(int(done.Add(1)), total)
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return inOrder(o.Kinds, byKind), ctx.Err()
}

// inOrder lists what became of the drafts by kind.
func inOrder(kinds []Kind, by map[Kind][]*Outcome) []Outcome {
	var all []Outcome
	for _, k := range kinds {
		for _, out := range by[k] {
			all = append(all, *out)
		}
	}
	return all
}

// material finds the evidence of a question and a sentence of it. The article is one
// of the first three; one numbered 之一 is preferred, since few are.
func (o *Options) material(ctx context.Context, rng *rand.Rand, question string, repealed []string) (*material, error) {
	res, err := o.Search.Search(ctx, retrieval.Query{Text: question, By: retrieval.Articles, Explain: true})
	var input *retrieval.InputError
	if errors.As(err, &input) {
		return nil, nil //nolint:nilnil // not a question to make a draft for
	}
	if err != nil {
		return nil, err
	}
	m := &material{rng: rng, question: question, evidence: res.Hits}
	for i := range m.evidence[:min(3, len(m.evidence))] {
		h := &m.evidence[i]
		n, sub := number(h)
		if n == 0 {
			continue
		}
		if s := pick(rng, h.Text); s != "" && (m.hit == nil || sub > 0) {
			m.hit, m.sentence = h, s
		}
	}
	if m.hit == nil {
		return nil, nil //nolint:nilnil // as above
	}
	l, err := o.Book.Law(collections, m.hit.LawID, o.Day)
	if err != nil {
		return nil, err
	}
	if m.last, err = o.Book.LastArticle(ctx, l); err != nil {
		return nil, err
	}
	if len(repealed) > 0 {
		m.repealed = repealed[rng.IntN(len(repealed))]
	}
	return m, nil
}

// collections are those that drafts are about.
var collections = []string{"public"}

// repealed names an article each of laws that are no longer in force.
func (o *Options) repealed(ctx context.Context) ([]string, error) {
	var out []string
	for _, l := range o.Book.Laws(collections) {
		if l.StatusOn(o.Day) != statute.Repealed {
			continue
		}
		last, err := o.Book.LastArticle(ctx, l)
		if err != nil {
			return nil, err
		}
		if last > 3 {
			out = append(out, "《"+l.Title+"》"+statute.Label(last/2, 0))
		}
	}
	return out, nil
}

// treat lets the graph answer with the draft as its language model's only reply.
func (o *Options) treat(ctx context.Context, d Draft) (*Outcome, error) {
	g, err := graph.New(ctx, graph.Options{
		Search: fixed(d.Evidence), Check: o.Check, Meaning: o.Meaning, Review: o.Review, LLM: reply(d.Text), Rounds: 1,
	})
	if err != nil {
		return nil, err
	}
	a, err := g.Answer(ctx, graph.Request{Question: d.Question}, nil)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Draft: d, Answer: a, Layers: layers(d, a)}
	notes := strings.Join(a.Notes, "\n")
	for i := range a.Verification.Findings {
		f := &a.Verification.Findings[i]
		if f.End == 0 {
			continue
		}
		if f.Severity == verify.False {
			out.False++
		}
		// What stands in the record beside the words counts as a mark: clients show it there.
		if f.Severity == verify.Unsupported && strings.Contains(squeeze(d.Fault), squeeze(f.Text)) {
			out.Marked = true
		}
	}
	left := strings.Contains(squeeze(a.Text), squeeze(d.Fault))
	out.Put = !left && strings.Contains(notes, "已改为")
	out.Removed = !left && !out.Put
	out.Marked = left && (out.Marked || strings.Contains(notes, "请自行核对") || strings.Contains(notes, "可能有问题"))
	out.Changed = d.Kind == True && (!sameWords(a.Text, d, a) || notes != "")
	return out, nil
}

func layers(d Draft, a *graph.Answer) Layers {
	var l Layers
	for i := range a.Verification.Findings {
		f := &a.Verification.Findings[i]
		if said := squeeze(f.Text); f.Severity == verify.Fine || f.Severity == verify.Unchecked || !strings.Contains(squeeze(d.Fault), said) && !strings.Contains(said, squeeze(d.Fault)) {
			continue
		}
		if f.Kind == verify.Sentence {
			l.Meaning = true
		} else {
			l.Text = true
		}
	}
	if r := a.Verification.Review; r != nil {
		l.Review = !r.OK()
		l.NoVerdict = slices.Contains([]verify.Outcome{r.Evidence.Outcome, r.Consistency.Outcome, r.Completeness.Outcome}, verify.NotDone)
	}
	return l
}

// sameWords reports whether a true draft left with its sentence and its citation.
func sameWords(text string, d Draft, a *graph.Answer) bool {
	if a.Kind != graph.Generated || len(a.Citations) == 0 {
		return false
	}
	words, _, _ := strings.Cut(d.Fault, "[")
	return strings.Contains(squeeze(text), squeeze(words))
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// fixed is a searcher that finds this evidence.
type fixed []retrieval.Hit

func (f fixed) Search(context.Context, retrieval.Query) (*retrieval.Result, error) {
	return &retrieval.Result{Hits: f, Mode: retrieval.Fast, Notes: []string{}}, nil
}

// reply is a language model that writes this draft.
type reply string

func (r reply) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage(string(r), nil), nil
}

func (r reply) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return schema.StreamReaderFromArray([]*schema.Message{schema.AssistantMessage(string(r), nil)}), nil
}

// WriteTable writes what became of the drafts, by kind, and how many of them each layer
// of checks objected to.
func WriteTable(w io.Writer, all []Outcome) error {
	if _, err := fmt.Fprint(w, "| planted | drafts | caught | removed | put right | marked | false and unmarked | text | meaning | review | no verdict |\n|---|---|---|---|---|---|---|---|---|---|---|\n"); err != nil {
		return err
	}
	var order []Kind
	sums := map[Kind][10]int{}
	for i := range all {
		o := &all[i]
		s, ok := sums[o.Kind]
		if !ok {
			order = append(order, o.Kind)
		}
		caught := o.Caught()
		if o.Kind == True {
			caught = o.Changed
		}
		for k, yes := range []bool{true, caught, o.Removed && o.Kind != True, o.Put, o.Marked, o.False > 0, o.Layers.Text, o.Layers.Meaning, o.Layers.Review, o.Layers.NoVerdict} {
			if yes {
				s[k]++
			}
		}
		sums[o.Kind] = s
	}
	var rows strings.Builder
	for _, k := range order {
		name := string(k)
		if k == True {
			name = "nothing (caught = blocked or changed)"
		}
		fmt.Fprintf(&rows, "| %s |", name)
		for _, n := range sums[k] {
			fmt.Fprintf(&rows, " %d |", n)
		}
		rows.WriteString("\n")
	}
	_, err := io.WriteString(w, rows.String())
	return err
}
