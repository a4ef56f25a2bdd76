// Package run holds what a search returned for a set of questions, and reads
// and writes it.
//
// A Run is a list of Lines, one a question, each with its hits in rank order.
// Two formats are known, told apart by their first character:
//
//   - JSON lines, our own: {"id","hits":[{"id","source_id",…,"text","score"}],"ms"}.
//     The rank of a hit is its place in the list.
//   - TREC: "qid Q0 docid rank score tag". The rank is the rank column; lines
//     with the same rank stay in file order. trec_eval ignores that column and
//     sorts by score, ties by descending docid; see Line.Rising for runs where
//     the two orders part.
//
// Nothing is repaired in silence: what a reader cannot use is an error that
// names the line.
package run
