package index

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"

	"lexagent/statute"
)

// Errors of every store.
var (
	// ErrClosed is returned by every method of a store after Close.
	ErrClosed = errors.New("the index is closed")
	// ErrNoVectors is returned by a dense search while not one vector is there.
	ErrNoVectors = errors.New("the index holds no vectors yet")
	// ErrDimension is returned when a query vector is of another length than the
	// vectors stored.
	ErrDimension = errors.New("the query vector has the wrong number of dimensions")
	// ErrUnknownID is returned by Scores for an id that the store doesn't hold.
	ErrUnknownID = errors.New("the index holds no document with this id")
	// ErrProbe is returned by a start-up probe whose text isn't found.
	ErrProbe = errors.New("the index doesn't find its own text")
)

// Doc is what is searchable of a unit or a chunk.
type Doc struct {
	ID         string        // of the unit or chunk, unique in a generation
	Law        string        // id of its law: 民法典@2020-05-28
	Collection string        // who may see it
	Region     string        // 上海 for a local regulation, "" for national law
	Kind       statute.Kind  // Chunk is indexed beside the others, with its own average length
	Level      statute.Level // place in the hierarchy, 0–6
	From       statute.Date  // first day in force; 0 = not known, taken as always
	Until      statute.Date  // first day no longer in force; 0 = none
	Hash       uint64        // of Text (TextHash), by which vectors are taken over from an older generation
	Text       string        // all that is searchable: Compose(title, path, label, text)
}

// Filter restricts a search. An empty list restricts nothing; the fields together
// restrict to documents that pass each. Whoever serves several readers must set
// Collections: an empty list sees all of them.
type Filter struct {
	Collections []string
	Levels      []statute.Level
	Laws        []string // ids of laws: 民法典@2020-05-28
	Regions     []string // include "" to see national law too
	Kinds       []statute.Kind
	AsOf        statute.Date // in force on this day; 0 = any day
}

// Hit is a document found, with its exact score in the path that was searched.
type Hit struct {
	ID    string
	Score float64
}

// Store searches one generation of documents. All methods may be called from many
// goroutines at once. Hits come by descending score, ties in the order in which
// the documents were given to the builder; only scores above 0 are sparse hits.
type Store interface {
	// Query returns the query's side of BM25 for a text.
	Query(text string) Sparse

	// SearchSparse returns the k best documents by inner product with q, exactly.
	SearchSparse(ctx context.Context, q Sparse, f Filter, k int) ([]Hit, error)

	// SearchDense returns the k best documents by inner product with the vector v.
	// While vectors are being made it searches those that are there.
	SearchDense(ctx context.Context, v []float32, f Filter, k int) ([]Hit, error)

	// Scores returns the exact scores of given documents in both paths, parallel
	// to ids. A dense score is NaN where the document has no vector yet, and all
	// are NaN when v is nil.
	Scores(ctx context.Context, ids []string, q Sparse, v []float32) (sparse, dense []float64, err error)
}

// InForce reports whether a document with the days from and until is in force on
// day; every document is on the zero day.
func InForce(from, until, day statute.Date) bool {
	return day == 0 || (from == 0 || from <= day) && (until == 0 || day < until)
}

// TextHash is the hash of a searchable text.
func TextHash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) // never fails, by hash.Hash's contract
	return h.Sum64()
}

// Compose makes the searchable text of a unit or chunk: the title of its law, the
// headings above it, its label, its text. 中华人民共和国 in titles tells nothing.
func Compose(title string, path []string, label, text string) string {
	title = strings.ReplaceAll(title, "中华人民共和国", "")
	return strings.Join(slices.Concat([]string{title}, path, []string{label, text}), "\n")
}

// Passage is the text of a unit or chunk that an encoder makes a vector of: the
// title of its law, its label ("" for a chunk, whose text has labels), its text.
func Passage(title, label, text string) string {
	if label == "" {
		return title + " " + text
	}
	return title + " " + label + " " + text
}
