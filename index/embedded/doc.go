// Package embedded is the index.Store that needs no service: a generation of
// files, written once and mapped into memory, searched exactly.
//
//	DIR/CURRENT                    name of the generation in use, replaced atomically
//	DIR/LOCK                       held by who builds, activates or prunes
//	DIR/<generation>/manifest.json what it was made of, and its frozen statistics
//	DIR/<generation>/terms.bin     terms and their document frequencies
//	DIR/<generation>/postings.bin  by term: documents, and their side of BM25 as float32
//	DIR/<generation>/docs.bin      by document: id, text hash and what filters look at
//	DIR/<generation>/vectors.bin   rows of float32 and their codes, appended while searches go on
//
// A Builder makes a generation from a stream of documents: workers analyse texts,
// a collector numbers terms in the order of their first appearance and logs the
// postings, Finish turns the log into lists by term, a range of terms at a time.
// The name of a generation is the digest of all that went in, so the same documents
// give the same files, and a build that was killed leaves a folder that is never
// opened. OpenVectors then adds vectors, with checkpoints.
//
// A Store searches. BM25 adds up the postings of each query term, document by
// document, in single precision; what comes within rounding of the k-th best is
// scored again in double precision, so that results equal brute force. At 56,007
// articles that takes a quarter of a millisecond for a question, which is why
// there is no skipping of lists. The dense path compares the query with the code of
// every vector that passes the filter, 8 bits a dimension; codes bound the scores, and
// the vectors that may be among the best by these bounds are compared exactly, so that
// these results equal brute force too. Memory bandwidth sets its speed. Filters are
// compiled once and kept. Ties come in the order of the documents.
//
// Files hold little-endian arrays; every file but the vectors is checked byte for
// byte when it is opened, the vectors by their header and length. Linux and macOS.
package embedded
