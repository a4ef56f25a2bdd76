package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"lexagent/book"
	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// built remembers what the generation in use was made from, so that nothing is
// done when nothing has changed.
type built struct {
	Generation string `json:"generation"`
	Book       string `json:"book"`     // its name
	Revision   int64  `json:"revision"` // of the book
	Analyzer   string `json:"analyzer"`
	Passages   int    `json:"passages"` // version of how searchable texts are composed
}

// passagesVersion is raised when Searchable or Passage change.
const passagesVersion = 2

const builtFile = "built.json"

// index makes a generation of the book's present content and puts it in use,
// unless the one in use is of it already.
func (e *engine) index(ctx context.Context) error {
	root := IndexRoot(e.dir)
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return err
	}
	rev, err := e.book.Revision(ctx)
	if err != nil {
		return err
	}
	of, err := e.book.Name(ctx)
	if err != nil {
		return err
	}
	want := built{Book: of, Revision: rev, Analyzer: analyzer.Name(), Passages: passagesVersion}
	if have := readBuilt(root); have.Generation != "" && want == (built{Book: have.Book, Revision: have.Revision, Analyzer: have.Analyzer, Passages: have.Passages}) {
		if s, err := embedded.OpenGeneration(root, have.Generation); err == nil {
			return s.Close()
		}
	}
	e.stage("index", e.report.Book.Units+e.report.Book.Chunks)
	before, err := embedded.Current(root)
	if err != nil && !errors.Is(err, embedded.ErrNoIndex) {
		before = "" // damaged: nothing to take over from
	}
	name, err := e.build(ctx, root, analyzer)
	if err != nil {
		return err
	}
	if err := embedded.Activate(root, name); err != nil {
		return err
	}
	want.Generation = name
	if err := writeBuilt(root, want); err != nil {
		return err
	}
	e.tell(true)
	_, err = embedded.Prune(root, keep(before)...)
	return err
}

// keep names the generation before the present one, to which one can go back.
func keep(before string) []string {
	if before == "" {
		return nil
	}
	return []string{before}
}

func (e *engine) build(ctx context.Context, root string, analyzer *index.Analyzer) (_ string, err error) {
	b, err := embedded.NewBuilder(root, analyzer, embedded.Options{})
	if err != nil {
		return "", err
	}
	err = e.book.Each(ctx, func(u *statute.Unit, l *statute.Law) error {
		e.progress.Units++
		e.tell(false)
		return b.Add(ctx, doc(u, l))
	})
	if err == nil {
		err = e.book.EachChunk(ctx, func(p *statute.Passage, l *statute.Law) error {
			e.progress.Units++
			e.tell(false)
			return b.Add(ctx, chunkDoc(p, l))
		})
	}
	if err != nil {
		return "", errors.Join(err, b.Abort())
	}
	return b.Finish(ctx)
}

// endedLongAgo is the last day of a law that has ended on a day nobody recorded.
const endedLongAgo statute.Date = 1

// doc is what is searchable of a unit.
func doc(u *statute.Unit, l *statute.Law) index.Doc {
	d := lawDoc(l)
	d.ID, d.Kind = book.DocID(l.Collection, u.ID), u.Kind
	d.Hash, d.Text = index.TextHash(Passage(u, l)), Searchable(u, l)
	return d
}

// chunkDoc is what is searchable of a chunk.
func chunkDoc(p *statute.Passage, l *statute.Law) index.Doc {
	d := lawDoc(l)
	d.ID, d.Kind = book.DocID(l.Collection, p.ID), statute.Chunk
	d.Hash, d.Text = index.TextHash(ChunkPassage(p, l)), index.Compose(l.Title, p.Path, "", p.Text)
	return d
}

// lawDoc is what units and chunks have from their law.
func lawDoc(l *statute.Law) index.Doc {
	until := l.Ended
	if until.IsZero() && (l.Declared == statute.Repealed || l.Declared == statute.Superseded) {
		until = endedLongAgo
	}
	return index.Doc{Law: l.ID, Collection: l.Collection, Region: l.Region, Level: l.Level, From: l.Effective, Until: until}
}

func readBuilt(root string) (b built) {
	raw, err := os.ReadFile(filepath.Join(root, builtFile))
	if err != nil || json.Unmarshal(raw, &b) != nil {
		return built{} // then the index is made again, which is always right
	}
	return b
}

func writeBuilt(root string, b built) error {
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	path := filepath.Join(root, builtFile)
	if err := os.WriteFile(path+".new", raw, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
