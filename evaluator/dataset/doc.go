// Package dataset holds questions with what a right search must find, and reads
// them.
//
// Three formats are known. JSON lines by article, {"id","question","gold":
// [{"article_id"}]}; JSON lines by evidence, {"id","question","answer","type",
// "document","evidence":[…]}; and TREC qrels, "qid 0 docid grade". The reader
// tells them apart itself.
//
// A gold article may carry a "grade", a whole number ≥ 1, where relevance is
// graded; without one it is 1. Grades ≤ 0 in qrels say that a document was
// judged and is not relevant, so they are no gold.
package dataset
