package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"lexagent/index"
	"lexagent/statute"
)

// Options configure a builder. The zero value works.
type Options struct {
	Identity string     // what else the generation depends on (parser, encoder); part of its name
	BM25     index.BM25 // zero = index.DefaultBM25
	Workers  int        // goroutines that analyse text; 0 = one a core
}

// Builder makes a generation from a stream of documents. Memory is bounded by the
// terms and the documents' attributes; texts and postings don't stay. A Builder is
// used by one goroutine; after Finish or Abort it is spent.
type Builder struct {
	root, folder string // where generations lie; where this one is made
	options      Options
	analyzer     *index.Analyzer
	digest       hash.Hash
	attributes   *attributes
	seen         map[string]bool
	probe        index.Probe

	batch   []job
	jobs    chan *batch // to the workers, in any order
	ordered chan *batch // to the collector, in the order of the documents
	done    chan error  // the collector's result
	failed  chan struct{}
	err     error // the collector's, once it has ended
	workers sync.WaitGroup
	log     *postingLog
}

// batchSize is how many documents go to a worker at a time.
const batchSize = 64

// job is one document's text and then its terms.
type job struct {
	text   string
	chunk  bool
	length int
	terms  []string // distinct, in the order of their first appearance
	counts []uint32
}

type batch struct {
	jobs []job
	done chan struct{}
}

// NewBuilder starts a generation under root, in a folder of its own that becomes
// the generation when all is written. What a killed build leaves, Prune removes.
func NewBuilder(root string, a *index.Analyzer, o Options) (*Builder, error) {
	if !littleEndian {
		return nil, errors.New("the embedded index needs a little-endian processor")
	}
	if o.BM25 == (index.BM25{}) {
		o.BM25 = index.DefaultBM25
	}
	if o.BM25.K1 <= 0 || o.BM25.B < 0 || o.BM25.B > 1 {
		return nil, fmt.Errorf("BM25 needs k1 > 0 and b between 0 and 1, not k1 %g and b %g", o.BM25.K1, o.BM25.B)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(root, building)
	if err != nil {
		return nil, err
	}
	log, err := newPostingLog(filepath.Join(folder, "log"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	jobs := make(chan *batch, 2*o.Workers)
	b := &Builder{root: root, folder: folder, options: o, analyzer: a, digest: sha256.New(), attributes: newAttributes(),
		seen: map[string]bool{}, log: log, jobs: jobs, ordered: make(chan *batch, 4*o.Workers),
		done: make(chan error, 1), failed: make(chan struct{})}
	for range o.Workers {
		b.workers.Go(func() { work(a, jobs) })
	}
	go b.collect(b.ordered)
	return b, nil
}

// Add takes a document. Documents that tie in a search come in the order in which
// they were added; units before chunks makes searches for units fastest. An id
// that came before is an error, and so is a level or date that doesn't exist.
func (b *Builder) Add(ctx context.Context, d index.Doc) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case d.ID == "":
		return errors.New("a document has no id")
	case b.seen[d.ID]:
		return fmt.Errorf("two documents have the id %s", d.ID)
	case !d.Level.Valid():
		return fmt.Errorf("document %s has level %d, and levels are 0 to 6", d.ID, d.Level)
	case len(b.attributes.list) >= maxDocuments:
		return fmt.Errorf("the index holds %d documents and can't hold more", maxDocuments)
	}
	b.seen[d.ID] = true
	b.hash(&d)
	if b.probe.ID == "" {
		b.probe = b.probeOf(&d)
	}
	b.attributes.add(&d)
	b.batch = append(b.batch, job{text: d.Text, chunk: d.Kind == statute.Chunk})
	if len(b.batch) < batchSize {
		return nil
	}
	return b.flush(ctx)
}

// hash adds all that the generation depends on to its digest.
func (b *Builder) hash(d *index.Doc) {
	var n []byte
	for _, s := range []string{d.ID, d.Law, d.Collection, d.Region, string(d.Kind), d.Text} {
		n = binary.LittleEndian.AppendUint64(n, uint64(len(s)))
		n = append(n, s...)
	}
	for _, v := range []uint64{uint64(d.Level), uint64(d.From), uint64(d.Until), d.Hash} {
		n = binary.LittleEndian.AppendUint64(n, v)
	}
	b.digest.Write(n) // never fails, by hash.Hash's contract
}

// probeOf takes the first words of a document, if it has Chinese ones.
func (b *Builder) probeOf(d *index.Doc) index.Probe {
	const enough = 12
	words := b.analyzer.Words(d.Text)
	text := strings.Join(words[:min(enough, len(words))], " ")
	if !index.HasChinese(text) {
		return index.Probe{}
	}
	return index.Probe{Text: text, ID: d.ID}
}

// flush hands the batch to the workers and, in order, to the collector.
func (b *Builder) flush(ctx context.Context) error {
	if len(b.batch) == 0 {
		return nil
	}
	full := &batch{jobs: b.batch, done: make(chan struct{})}
	b.batch = make([]job, 0, batchSize)
	for _, to := range []chan *batch{b.jobs, b.ordered} {
		select {
		case to <- full:
		case <-b.failed:
			return b.stop()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// work analyses batches.
func work(a *index.Analyzer, jobs <-chan *batch) {
	numbers := map[string]int{}
	for batch := range jobs {
		for i := range batch.jobs {
			batch.jobs[i].analyse(a, numbers)
		}
		close(batch.done)
	}
}

// analyse replaces the text by its terms. numbers is scratch.
func (j *job) analyse(a *index.Analyzer, numbers map[string]int) {
	clear(numbers)
	terms := a.Terms(j.text)
	j.length = len(terms)
	for _, t := range terms {
		n, ok := numbers[t]
		if !ok {
			n = len(j.terms)
			numbers[t] = n
			j.terms = append(j.terms, t)
			j.counts = append(j.counts, 0)
		}
		j.counts[n]++
	}
	j.text = ""
}

// collect logs the postings of analysed batches in the order of the documents.
func (b *Builder) collect(ordered <-chan *batch) {
	for batch := range ordered {
		<-batch.done
		for i := range batch.jobs {
			if err := b.log.add(&batch.jobs[i]); err != nil {
				b.done <- err
				close(b.failed)
				return
			}
		}
	}
	b.done <- nil
}

// stop ends the goroutines and returns the collector's error, if any, also when
// called again.
func (b *Builder) stop() error {
	if b.jobs != nil {
		close(b.jobs)
		close(b.ordered)
		b.jobs, b.ordered = nil, nil
		b.err = <-b.done
		b.workers.Wait()
	}
	return b.err
}

// Abort gives up the generation and removes what was written.
func (b *Builder) Abort() error {
	return errors.Join(b.stop(), b.log.close(), os.RemoveAll(b.folder))
}

// Finish writes the generation and returns its name; Activate makes it the one in
// use. A generation that is there already, whole, is kept as it is, with its
// vectors. On an error everything is removed, as by Abort.
func (b *Builder) Finish(ctx context.Context) (name string, err error) {
	defer func() { err = errors.Join(err, b.log.close(), os.RemoveAll(b.folder)) }()
	if err := errors.Join(b.flush(ctx), b.stop()); err != nil {
		return "", err
	}
	m := b.manifest()
	if whole(b.root, m.Name()) {
		return m.Name(), nil
	}
	if err := b.attributes.write(filepath.Join(b.folder, docsFile)); err != nil {
		return "", err
	}
	if err := b.log.write(ctx, b.folder, m); err != nil {
		return "", err
	}
	if err := b.log.remove(); err != nil {
		return "", err
	}
	if err := errors.Join(writeManifest(b.folder, m), syncFolder(b.folder)); err != nil {
		return "", err
	}
	target := filepath.Join(b.root, m.Name())
	if err := os.RemoveAll(target); err != nil { // a damaged one of the same name
		return "", err
	}
	if err := os.Rename(b.folder, target); err != nil {
		return "", err
	}
	return m.Name(), syncFolder(b.root)
}

// whole reports whether a generation is there and opens.
func whole(root, name string) bool {
	s, err := OpenGeneration(root, name)
	return err == nil && s.Close() == nil
}

func (b *Builder) manifest() *index.Manifest {
	m := &index.Manifest{Format: format, Identity: b.options.Identity, Analyzer: b.analyzer.Name(), BM25: b.options.BM25,
		Statistics: b.log.statistics(), Documents: len(b.attributes.list), Terms: len(b.log.names),
		Postings: b.log.postings, Probe: b.probe}
	b.digest.Write(fmt.Appendf(nil, "%d\n%q\n%s\n%v\n%d", format, m.Identity, m.Analyzer, m.BM25, m.Documents))
	m.Digest = hex.EncodeToString(b.digest.Sum(nil))
	return m
}
