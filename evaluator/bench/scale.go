package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"lexagent/index/embedded"
	"lexagent/statute"
)

// Law is a law whose articles are varied.
type Law struct {
	ID, Title string
	Level     statute.Level
	Units     []statute.Unit
}

// exchanged is the share of clauses that a varied text takes from other articles.
const exchanged = 0.4

// record is a line of the corpus that ingest reads.
type record struct {
	ID       string   `json:"id"`
	LawID    string   `json:"law_id"`
	LawTitle string   `json:"law_title"`
	Level    int      `json:"level"`
	Kind     string   `json:"kind"`
	Label    string   `json:"label"`
	Number   int      `json:"number"`
	Sub      int      `json:"sub"`
	Path     []string `json:"path"`
	Text     string   `json:"text"`
	Current  bool     `json:"current"`
}

// WriteVaried writes n articles as a corpus of JSON lines: the laws as they are, and
// then again and again as drafts of other laws in which a part of the clauses of each
// article is exchanged with those of other articles. Terms so keep the frequencies of
// real statutes while no two texts are alike. The same laws give the same corpus.
func WriteVaried(ctx context.Context, w io.Writer, laws []Law, n int) error {
	var clauses []string
	for i := range laws {
		for j := range laws[i].Units {
			clauses = append(clauses, clausesOf(laws[i].Units[j].Text)...)
		}
	}
	if len(clauses) == 0 {
		return errors.New("there are no articles to vary: ingest statutes first, or give --from")
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	r := rand.New(rand.NewPCG(1, 0))
	for draft, written := 1, 0; ; draft++ {
		for i := range laws {
			l := &laws[i]
			if err := ctx.Err(); err != nil {
				return err
			}
			for j := range l.Units {
				if written == n {
					return nil
				}
				line := varied(l, &l.Units[j], draft, clauses, r)
				if err := out.Encode(line); err != nil {
					return fmt.Errorf("write the corpus: %w", err)
				}
				written++
			}
		}
	}
}

// varied is an article of a draft; draft 1 is the law itself.
func varied(l *Law, u *statute.Unit, draft int, clauses []string, r *rand.Rand) record {
	line := record{
		ID: fmt.Sprintf("%s:%s#%d", l.ID, u.ID, draft), LawID: fmt.Sprintf("%s#%d", l.ID, draft), LawTitle: l.Title, Level: int(l.Level),
		Kind: string(u.Kind), Label: u.Label, Number: u.Number, Sub: u.Sub, Path: u.Path, Text: u.Text, Current: true,
	}
	if line.Path == nil {
		line.Path = []string{}
	}
	if draft == 1 {
		return line
	}
	line.LawTitle = fmt.Sprintf("%s（草案第%d稿）", l.Title, draft)
	var text strings.Builder
	for _, c := range clausesOf(u.Text) {
		if r.Float64() < exchanged {
			c = clauses[r.IntN(len(clauses))]
		}
		text.WriteString(c)
	}
	line.Text = text.String()
	return line
}

// clausesOf cuts a text behind its marks. Lines stay whole numbers of clauses.
func clausesOf(text string) []string {
	var list []string
	for len(text) > 0 {
		i := strings.IndexAny(text, "，；。：\n")
		if i < 0 {
			return append(list, text)
		}
		end := i + len("，")
		if text[i] == '\n' {
			end = i + 1
		}
		list, text = append(list, text[:end]), text[end:]
	}
	return list
}

// Perturbed makes vectors for a million documents without an encoder.
type Perturbed struct {
	Base  [][]float32 // real vectors of the encoder, of length 1; nil = made up
	Dim   int
	Noise float64 // length of what is added to one of them; 0.35 keeps a cosine of 0.94
}

// centres is how many vectors are made up where there are no real ones.
const centres = 2000

// madeUp are vectors as encoders make them: in a narrow cone, around centres.
func madeUp(dim int) [][]float32 {
	r := rand.New(rand.NewPCG(2, 0))
	cone := noisy(make([]float32, dim), 1, r)
	list := make([][]float32, centres)
	for i := range list {
		list[i] = noisy(cone, 1, r)
	}
	return list
}

// noisy is v with noise of a given length added, at length 1.
func noisy(v []float32, noise float64, r *rand.Rand) []float32 {
	w := make([]float32, len(v))
	sum, each := 0.0, noise/math.Sqrt(float64(len(v)))
	for i := range w {
		w[i] = v[i] + float32(each*r.NormFloat64())
		sum += float64(w[i]) * float64(w[i])
	}
	for i := range w {
		w[i] /= float32(math.Sqrt(sum))
	}
	return w
}

// vectorBlock is how many vectors are written at a time.
const vectorBlock = 4096

// Write writes the vectors that a generation lacks, under the encoder's digest. told
// is called now and then with how many are there.
func (p *Perturbed) Write(ctx context.Context, root, generation, encoder string, told func(done int)) (err error) {
	info, err := embedded.Inspect(root, generation)
	if err != nil {
		return err
	}
	w, err := embedded.OpenVectors(root, generation, encoder, p.Dim)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	base := p.Base
	if len(base) == 0 {
		base = madeUp(p.Dim)
	}
	for w.Rows() < info.Manifest.Documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		block := make([][]float32, min(vectorBlock, info.Manifest.Documents-w.Rows()))
		for i := range block {
			r := rand.New(rand.NewPCG(3, uint64(w.Rows()+i))) // goes on after an interruption
			block[i] = noisy(base[r.IntN(len(base))], p.Noise, r)
		}
		if err := w.Append(block...); err != nil {
			return err
		}
		told(w.Rows())
	}
	return nil
}
