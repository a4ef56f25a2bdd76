// Package structneg mines hard negatives for the training of the encoder: texts
// near to a question that do not govern it.
//
// Struct-Neg (LexPath § 3.3, Algorithm 1) takes them from what the encoder finds
// on the law's own level and the adjacent ones, and from the citations of the
// positive. Random and ANN negatives are what the paper compares it with (Table 3).
//
//	corpus, err := structneg.ReadCorpus(ctx, book, "public")
//	miner, err := structneg.NewMiner(corpus, structneg.Default)
//	for _, mined := range miner.Mine(question, retrieved) { … }
//
// A Corpus is read once; mining is then a function of it, the settings and what
// was retrieved. It draws by the seed, the question and the positive, so that
// neither the order of questions nor that of near-equal hits changes a negative.
//
// Three things are never negatives: the golds of a question, texts of a gold's
// wording, and other versions of a gold's article.
package structneg
