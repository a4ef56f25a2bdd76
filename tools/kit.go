package tools

import (
	"context"
	"time"

	"github.com/cloudwego/eino/components/tool"

	"lexagent/book"
	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

// Searcher finds units; *retrieval.Engine is one.
type Searcher interface {
	Search(ctx context.Context, q retrieval.Query) (*retrieval.Result, error)
}

// Checker checks what a text says about statutes; *verify.Checker is one.
type Checker interface {
	Check(ctx context.Context, d verify.Draft) (*verify.Report, error)
}

// Laws looks up laws. What is not there is an error that wraps book.ErrNotFound.
type Laws interface {
	Law(collections []string, id string, day statute.Date) (*statute.Law, error)
	Laws(collections []string) []*statute.Law
	Versions(l *statute.Law) []*statute.Law
	EndedBy(l *statute.Law) *statute.Law
}

// Units looks up units, and what texts refer to.
type Units interface {
	Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error)
	Units(ctx context.Context, l *statute.Law) ([]statute.Unit, error)
	Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]book.Mention, error)
}

// Citations is the citation graph.
type Citations interface {
	CitationsFrom(ctx context.Context, collection, unit string) ([]book.Citation, error)
	CitationsTo(ctx context.Context, readable []string, collection, id string) ([]book.Citation, error)
}

// Book is the statute book; *book.Book is one.
type Book interface {
	Laws
	Units
	Citations
}

// Indexer takes in documents.
type Indexer interface {
	// Index stores a text as a document of a collection, in the place of an earlier
	// one of this title, and returns how many units it has when they can be found.
	// A text that can't be read is a *Problem.
	Index(ctx context.Context, collection, title, text string) (units int, err error)
}

// Kit makes tools. Its fields are set once; it is then safe for concurrent use.
type Kit struct {
	Search  Searcher
	Book    Book
	Check   Checker
	Indexer Indexer          // nil: no caller may index documents
	Now     func() time.Time // nil: the clock
}

// Caller is on whose behalf tools run.
type Caller struct {
	Scope    retrieval.Scope            // its collections bind; its day, region and levels are what a call that names none means
	Ingest   bool                       // it may index documents
	MaxRunes int                        // of all texts in one result of a search; 0 = 8,000
	Seen     func(hits []retrieval.Hit) // told which units a call has shown, whole; nil = nobody
}

// For returns the tools that a caller may use, in the order in which help lists them.
// They may run at the same time if Seen may.
func (k *Kit) For(c Caller) []tool.InvokableTool {
	r := &runner{kit: k, caller: c, collections: c.Scope.Visible()}
	list := []tool.InvokableTool{
		r.searchStatutes(), r.searchDocuments(), r.getArticle(), r.listLaw(), r.traceCitations(), r.lawStatus(), r.verifyAnswer(), r.checkCitations(),
	}
	if k.Indexer != nil && c.Ingest {
		list = append(list, r.indexDocument())
	}
	return list
}

// runner runs the tools of one caller.
type runner struct {
	kit         *Kit
	caller      Caller
	collections []string
}

func (r *runner) now() time.Time {
	if r.kit.Now != nil {
		return r.kit.Now()
	}
	return time.Now()
}

// asOf reads the day of a call; "" is the caller's.
func (r *runner) asOf(text string) (retrieval.AsOf, error) {
	if text == "" {
		return r.caller.Scope.AsOf, nil
	}
	asOf, err := retrieval.ParseAsOf(text)
	if err != nil {
		return asOf, problem("as_of 是 %q，应当写成 2021-01-01 这样的日期，或者 any（不限日期），或者不写（今天）。", text)
	}
	return asOf, nil
}

// day is the day whose law a look-up means.
func (r *runner) day(text string) (statute.Date, error) {
	asOf, err := r.asOf(text)
	return asOf.On(r.now()), err
}

// seen tells the caller's side what a call has shown.
func (r *runner) seen(hits ...retrieval.Hit) {
	if r.caller.Seen != nil && len(hits) > 0 {
		r.caller.Seen(hits)
	}
}

// hitOf is a unit as a search would have found it.
func hitOf(u *statute.Unit, l *statute.Law, day statute.Date) retrieval.Hit {
	return retrieval.Hit{
		ID: u.ID, SourceID: u.SourceID, Kind: u.Kind, Law: l.Title, Label: u.Label, Text: u.Text,
		LawID: l.ID, Path: u.Path, Status: l.StatusOn(day), Level: l.Level,
	}
}

// Interface guard.
var _ Book = (*book.Book)(nil)
