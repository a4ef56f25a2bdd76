// Package retrieval finds the articles that govern a question: LexPath's
// pipeline (direct look-up, sparse and dense paths, fusion) over the ports that
// the book, an index store and an encoder satisfy.
//
// A Query goes through the stages in order and comes out as a Result whose hits
// are whole units. Each stage is a small function over values; only the engine
// does I/O.
package retrieval
