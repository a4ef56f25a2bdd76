package embedded

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"lexagent/index"
)

// inversion turns a log of postings by document into postings by term.
type inversion struct {
	log      *postingLog
	manifest *index.Manifest
	starts   []uint64 // by term, and one more: where its postings begin

	docs    []uint32 // of the terms of one pass
	weights []float32
	cursors []uint64 // by term of the pass: how many of its postings are placed
}

// write reads the log once for each range of terms whose postings fit into
// memory, and fills the sections starts, documents, weights.
func (v *inversion) write(ctx context.Context, to []*section) error {
	terms := len(v.starts) - 1
	most := max(passPostings, v.starts[terms]/mostPasses)
	for lo := 0; lo < terms; {
		hi := lo + 1
		for hi < terms && v.starts[hi+1]-v.starts[lo] <= most {
			hi++
		}
		if err := v.pass(ctx, lo, hi); err != nil {
			return err
		}
		if err := writeAll(to[1:], raw(v.docs), raw(v.weights)); err != nil {
			return err
		}
		lo = hi
	}
	return writeAll(to, raw(v.starts))
}

// pass gathers the postings of the terms lo to hi.
func (v *inversion) pass(ctx context.Context, lo, hi int) error {
	n := int(v.starts[hi] - v.starts[lo])
	v.docs = slices.Grow(v.docs[:0], n)[:n]
	v.weights = slices.Grow(v.weights[:0], n)[:n]
	v.cursors = append(v.cursors[:0], v.starts[lo:hi]...)
	if _, err := v.log.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(v.log.file, 1<<18)
	for doc, length := range v.log.lengths {
		if doc%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		average := v.manifest.Statistics.Average(v.log.chunks[doc])
		err := readDocument(in, func(term, tf uint32) {
			if int(term) < lo || int(term) >= hi {
				return
			}
			at := v.cursors[int(term)-lo] - v.starts[lo]
			v.cursors[int(term)-lo]++
			v.docs[at] = uint32(doc)
			v.weights[at] = v.manifest.BM25.DocWeight(float64(tf), float64(length), average)
		})
		if err != nil {
			return fmt.Errorf("read the postings back: %w", err)
		}
	}
	return nil
}

// readDocument reads one document's entry of the log.
func readDocument(in *bufio.Reader, posting func(term, tf uint32)) error {
	n, err := readUint32(in)
	if err != nil {
		return err
	}
	for range n {
		b, err := in.Peek(8)
		if err != nil {
			return err
		}
		posting(binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]))
		if _, err := in.Discard(8); err != nil {
			return err
		}
	}
	return nil
}

func readUint32(in *bufio.Reader) (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(in, b[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

// postings are the lists of a generation as they lie in its file: the documents
// that hold a term, ascending, and the document's side of BM25 for each.
type postings struct {
	starts  []uint64
	docs    []uint32
	weights []float32
}

// readPostings checks what it reads, so that later accesses stay inside.
func readPostings(s [][]byte, documents int) (*postings, error) {
	p := &postings{starts: view[uint64](s[0]), docs: view[uint32](s[1]), weights: view[float32](s[2])}
	if len(p.starts) == 0 || len(p.docs) != len(p.weights) ||
		p.starts[0] != 0 || p.starts[len(p.starts)-1] != uint64(len(p.docs)) || !slices.IsSorted(p.starts) {
		return nil, fmt.Errorf("%w: its lists don't fit together", ErrDamaged)
	}
	for _, d := range p.docs {
		if int(d) >= documents {
			return nil, fmt.Errorf("%w: a term points to no document", ErrDamaged)
		}
	}
	return p, nil
}

func (p *postings) terms() int { return len(p.starts) - 1 }

// list is the postings of one term.
func (p *postings) list(term uint32) (docs []uint32, weights []float32) {
	lo, hi := p.starts[term], p.starts[term+1]
	return p.docs[lo:hi], p.weights[lo:hi]
}
