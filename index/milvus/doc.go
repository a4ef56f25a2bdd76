// Package milvus is the index.Store on a Milvus server or cluster (2.4 or newer,
// or milvus-lite), for more documents or more replicas than one machine serves.
//
// A generation on Milvus is a copy of one that index/embedded built: the same
// documents in the same order under the same digest, the same term ids and
// weights, the same vectors. Publish makes the copy, so what is searched there is
// what is searched here, to the last bit of a score:
//
//	PREFIX                    alias of the collection in use, switched atomically
//	PREFIX_<generation>       one collection a generation: a row a document
//	PREFIX_meta               manifests, vocabularies and checkpoints of all generations
//
// A row is the document's id (the key), its number in the build's order (by which
// ties are settled), what filters look at, its side of BM25 as a sparse vector,
// and its dense vector. A generation with vectors has a name and a collection of
// its own, <digest>_<encoder>; one without has no field for them.
//
// Publish upserts rows by key in the order of the documents and notes in the meta
// collection how far it is, so that a copy that was killed goes on from there and
// no row is there twice. Where vectors are made while a copy is in use, the rows
// that had none are written again with theirs; until then they hold zeros, and
// dense searches pass them over by their number.
//
// A search asks Milvus for a few more rows than wanted, with their vectors, scores
// those again in double precision (sparse) or as index/embedded does (dense), and
// asks for more while a row that was not returned could still belong to the
// result. With the FLAT index both paths are therefore exact; with HNSW the dense
// one is approximate, and its scores are exact.
//
// A Store needs the address and the prefix only: manifest and vocabulary come
// from the meta collection. All methods may be called from many goroutines. A
// server that is away gives one error of one sentence (ErrUnavailable) within
// seconds; when it is back, the next call succeeds.
package milvus
