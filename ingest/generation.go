package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/model"
)

// passagesVersion is raised when Searchable, Passage or their like change.
const passagesVersion = 3

// errChanged is returned by build when the book changed under it: the next call
// builds what the book holds then.
var errChanged = errors.New("the statute book changed while its index was built; run this again")

// origin is what a generation was made of. It lies in the generation's folder, so
// that nothing is built when nothing has changed; without it a generation is built
// again, which is always right.
type origin struct {
	Book     string  `json:"book"`              // its name
	Revision int64   `json:"revision"`          // of the book
	Passages int     `json:"passages"`          // version of how texts are composed
	Without  Without `json:"without,omitempty"` // what they are composed without
}

const originFile = "origin.json"

func readOrigin(root, generation string) (s origin) {
	raw, err := os.ReadFile(filepath.Join(root, generation, originFile))
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return origin{}
	}
	return s
}

func writeOrigin(root, generation string, s origin) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(root, generation, originFile)
	if err := os.WriteFile(path+".new", raw, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// encoderID is who makes a generation's vectors. The zero value is nobody.
type encoderID struct {
	digest string
	dim    int
}

// identity is the encoder's part in the identity of a generation.
func (e encoderID) identity() string {
	if e.digest == "" {
		return ""
	}
	return fmt.Sprintf("encoder %s, %d dimensions", e.digest, e.dim)
}

// identify asks an encoder who it is. One behind an endpoint may have to be called
// for that.
func identify(ctx context.Context, enc Encoder) (encoderID, error) {
	if enc.Dim() == 0 {
		if _, err := enc.Encode(ctx, []string{"法律"}, model.Query); err != nil {
			return encoderID{}, err
		}
	}
	return encoderID{enc.Digest(), enc.Dim()}, nil
}

// serves reports whether a generation's vectors are this encoder's, or may become
// so: one that was built without an encoder takes the first that makes vectors.
func (e encoderID) serves(info *embedded.Info) bool {
	if e.digest == "" || info.Manifest.Identity == e.identity() {
		return true
	}
	return info.Manifest.Identity == "" && (info.Encoder == "" || info.Encoder == e.digest && info.Dim == e.dim)
}

// wanted is a generation that may have to be made yet.
type wanted struct {
	root     string
	analyzer *index.Analyzer
	origin   origin
	encoder  encoderID
}

func newWanted(ctx context.Context, dir string, b *book.Book, encoder encoderID, without Without) (*wanted, error) {
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return nil, err
	}
	revision, err := b.Revision(ctx)
	if err != nil {
		return nil, err
	}
	name, err := b.Name(ctx)
	if err != nil {
		return nil, err
	}
	return &wanted{root: IndexRoot(dir), analyzer: analyzer, encoder: encoder,
		origin: origin{Book: name, Revision: revision, Passages: passagesVersion, Without: without}}, nil
}

// generation is one that is there.
type generation struct {
	name   string // "" = none
	info   *embedded.Info
	origin origin
}

// look reads which generation is in use; without a name when it can't be used.
func (w *wanted) look() (generation, error) {
	name, err := embedded.Current(w.root)
	if errors.Is(err, embedded.ErrNoIndex) || errors.Is(err, embedded.ErrDamaged) {
		return generation{}, nil
	}
	if err != nil {
		return generation{}, err
	}
	return w.inspect(name), nil
}

// inspect reads about a generation; without a name when it is damaged.
func (w *wanted) inspect(name string) generation {
	info, err := embedded.Inspect(w.root, name)
	if err != nil {
		return generation{}
	}
	return generation{name: name, info: info, origin: readOrigin(w.root, name)}
}

// answersFor reports whether a generation can answer for this content until another
// one is made of it, whatever its analyzer and encoder. A program of before these
// notes left none: its generation is taken for one.
func (w *wanted) answersFor(g *generation) bool {
	if g.name == "" || g.origin != (origin{}) && (g.origin.Book != w.origin.Book || g.origin.Revision != w.origin.Revision) {
		return false
	}
	return w.whole(g.name)
}

// whole reports whether a generation opens.
func (w *wanted) whole(name string) bool {
	s, err := embedded.OpenGeneration(w.root, name)
	return err == nil && s.Close() == nil
}

// made reports whether the generation was made as this program makes them.
func (w *wanted) made(g *generation) bool {
	return g.name != "" && g.info.Manifest.Analyzer == w.analyzer.Name() && g.origin.Passages == w.origin.Passages && g.origin.Without == w.origin.Without && w.encoder.serves(g.info)
}

// find returns the name of a whole generation that is the one wanted, the one in
// use first; "" when it must be built.
func (w *wanted) find(inUse generation) string {
	others, err := embedded.Generations(w.root)
	if err != nil {
		return ""
	}
	for _, name := range append([]string{inUse.name}, others...) {
		if name == "" {
			continue
		}
		g := w.inspect(name)
		if !w.made(&g) || g.origin != w.origin {
			continue
		}
		if w.whole(name) {
			return name
		}
	}
	return ""
}

// use puts a generation in use and removes those that it follows on: of its analyzer
// and encoder, but for the one that was in use. Those of another analyzer or encoder
// stay until gc, so that one can go back. The caller holds the lock.
func (w *wanted) use(name string, before generation) error {
	if err := embedded.Activate(w.root, name); err != nil {
		return err
	}
	others, err := embedded.Generations(w.root)
	if err != nil {
		return err
	}
	now := w.inspect(name)
	line := now.vectorsBy()
	if line == "" {
		line = before.vectorsBy() // words only: the next ones will have the vectors of before
	}
	keep := []string{before.name}
	for _, other := range others {
		g := w.inspect(other)
		if by := g.vectorsBy(); g.name != "" && (by != "" && by != line || g.info.Manifest.Analyzer != w.analyzer.Name()) {
			keep = append(keep, other)
		}
	}
	_, err = embedded.Prune(w.root, keep...)
	return err
}

// vectorsBy is the identity of the encoder whose vectors the generation has or is to
// have, "" when that is open.
func (g *generation) vectorsBy() string {
	if g.name == "" {
		return ""
	}
	if by := g.info.Manifest.Identity; by != "" {
		return by
	}
	return encoderID{g.info.Encoder, g.info.Dim}.identity()
}
