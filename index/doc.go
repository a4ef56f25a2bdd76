// Package index is what makes units and chunks searchable and can always be
// rebuilt from the book: Chinese segmentation, BM25 as an inner product of sparse
// vectors, and the port that every store of them satisfies.
//
// From text to score:
//
//   - Fold makes spellings equal: width, case, white space, and references to
//     articles (第一百二十条之一, 第120条之1, 第１２０条之一 are one token).
//   - Segmenter cuts Chinese into the most probable words of an embedded lexicon.
//   - Analyzer turns text into terms: words and character bigrams. Its Name is
//     part of a generation's identity, because terms of two analyzers don't mix.
//   - BM25 weighs terms: the document's side (DocWeight) knows nothing of other
//     documents but their average length, frozen when a generation is built; the
//     query's side (IDF) carries what the collection knows. Their inner product is
//     the BM25 score, in whatever store it is computed.
//   - Store searches both kinds of vectors and scores given ids exactly.
//
// Package index/embedded is the store that needs no service, and builds every
// generation; index/milvus holds copies of them on a Milvus server or cluster;
// index/storetest is the contract of both, as tests.
package index
