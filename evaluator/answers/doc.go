// Package answers measures answers against reference answers, statements' labels
// and gold articles.
//
//	preds, err := answers.ReadFile("answers.jsonl")     // what `lexagent ask --out` writes
//	report, err := answers.Evaluate(ctx, preds, gold, answers.Options{Words: a.Words, Book: b})
//	err = report.WriteTable(os.Stdout)
//
// # Measures
//
// Each is taken over the questions that it has a meaning for, and says how many
// these are. A question that the predictions lack counts as an empty answer.
//
//   - f1_char, f1_word: F1 of the tokens, repeats counted. Characters are letters,
//     digits and Chinese characters; marks and white space are dropped, full width
//     is half width, capitals are small. Words are package index's.
//   - rouge_l_char, rouge_l_word: ROUGE-L's F1 of the same tokens.
//   - keyword_accuracy: the mean share of a question's keywords that the answer
//     contains, as LexRAG measures; keyword_accuracy_without_articles the same
//     without the keywords that name articles, which a system that lists what it
//     found has for the asking. Only LexRAG has keywords.
//   - label_accuracy: the share of statements (StatuteRAG, COLIEE) whose answer says
//     rightly whether they are true. An answer that says neither, or both, is
//     unparsable and counts as wrong; unparsable is their share, and
//     label_accuracy_parsed the accuracy of the others. See Verdict.
//   - citation_precision: the mean, over answers that cite at all, of the share of
//     the articles cited that are gold; citation_recall: the mean share of a
//     question's gold articles that are cited. With _micro: of all articles of all
//     answers. Cited is what the prediction lists as citations, or, where it lists
//     none at all, what its text refers to. Articles are compared by id, source id,
//     and law and label, so editions of a law don't matter.
//   - false_citation_rate: of the references in the texts that could be checked, the
//     share of those to a law or an article that the book does not have;
//     false_citation_answers: the share of answers with any. not_in_force_rate: of
//     the same references, the share of those to texts not in force on the day.
//     These need a book, and say nothing about what it does not hold: a real law
//     that was never ingested counts as false.
//   - abstention_rate: the share of answers that decline to answer.
//
// The text that is measured is the answer without its list of sources and notes.
package answers
