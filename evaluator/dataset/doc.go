// Package dataset holds questions with what a right search must find and what a
// right answer says, and reads them from the forms in which data sets come.
//
//	set, err := dataset.Open("queries.json")   // a file, or a folder for BEIR and COLIEE
//	gold, err := dataset.ReadFile("dev.jsonl") // the questions alone
//
// The form is told from the content, never from the name:
//
//   - Gold, our own: JSON lines {"id","question","answer","label","type","group",
//     "history":[{"user","assistant"}],"keywords":[…],"gold":[{"article_id","law",
//     "article_label","text","grade"}],"document","evidence":[…],
//     "evidence_spans":[[from,to]]}. Only id is required. A gold article has an
//     id, or a law and a label, or all three.
//   - STARD and LeCoQA: queries.json as published, {"query_id","问题","答案文本",
//     "相关法规":{name: text},"match_id":[…],"match_name":[…]}. The two match
//     lists are not in the same order, so golds go by name; with the corpus
//     beside it (corpus.jsonl, lines of {"id","name","content"}) they have ids too.
//   - LexRAG: dataset.json as published, conversations of turns {"user",
//     "assistant","keyword":[…],"article":[…]}, or its samples by turn. A turn is a
//     question with the turns before it as history; ids are 1_turn1, 1_turn2 ….
//     law_library.jsonl beside it gives the golds ids.
//   - StatuteRAG: not published as a file; read as LexPath (App. B) describes it.
//     A seed question {"id","stem","options":[{"key","text","label",
//     "articles":[…]}]} makes one statement of each option, or statements come
//     one by one: {"id","seed","statement","label","articles":[…]}.
//   - Legal-DC: pro_LawQA.json as published, {"query","answer","document","title",
//     "class"}; document is one passage or a list. Ids are the places in the file,
//     ldc-0, ldc-1 ….
//   - COLIEE, statute task: XML, <pair id label><t1>articles</t1><t2>statement</t2>,
//     in English (Article 3-2) or Japanese (第三条の二). A folder is read with its
//     train/ and the Civil Code in text/.
//   - BEIR: a folder with corpus.jsonl, queries.jsonl and qrels.tsv, or one file of
//     qrels/ in such a folder.
//   - Qrels: TREC's "qid 0 docid grade", or "qid docid" as STARD has them.
//
// A grade is a whole number ≥ 1; without one it is 1. Grades ≤ 0 in qrels say that
// a document was judged and is not relevant, so they are no gold.
//
// Keywords are what an answer must contain (LexRAG). LeCoQA's 关键词 tell what a
// question is about and are passed over.
//
// A file with a missing or a wrong field is refused with its place. Questions
// without gold and ids that occur twice are kept as they come: the evaluator
// counts them.
package dataset
