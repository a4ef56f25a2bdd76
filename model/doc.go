// Package model holds the neural models: encoders that make vectors of texts, with
// the tokenizer they need, and the client of the large language model.
//
// # Encoder
//
//	enc, err := model.OpenEncoder("model/pretrained", model.Options{})
//	defer enc.Close()
//	q, err := enc.Encode(ctx, []string{"公司拖欠工资怎么办？"}, model.Query)
//	p, err := enc.Encode(ctx, articles, model.Passage)
//
// The vectors are of length 1, so the inner product of two is their cosine.
// Queries and passages are different roles: a model may have been trained with a
// prefix for one of them, and queries don't wait for passages. Passages go in any
// number (hand over some thousands at a time, so that texts of equal length meet):
// a pool of one thread a core takes them in batches of equally long texts. Nothing
// is padded, and a text's vector doesn't depend on its neighbours.
//
// A folder holds an encoder: the model in ONNX, a tokenizer.json and config.json
// (Config). pretrained/ is the one that ships, with its model card; another one
// drops in. Digest names what an encoder computes; vectors made under another
// digest must be made again.
//
// The models run in ONNX Runtime, a shared library that `make build` brings and
// FindLibrary finds. It is bound by cgo: the package needs a C compiler and
// CGO_ENABLED=1.
//
// # Tokenizer
//
// Tokenizer is BERT's WordPiece in plain Go. Its ids equal those of Python's
// tokenizers library. It takes Unicode's classes from Go, the library from
// Unicode 8, so some 570 code points, newer marks and signs of rare scripts, may be
// cut differently; none of them is in the vocabulary. In what users write, "[SEP]"
// is text and not a control token.
//
// # Cross-encoder
//
// CrossEncoder reads a question together with a passage and scores the pair. None
// ships; docs/evaluation.md says how to bring one. Its tokenizer may be BERT's or
// XLM-R's.
//
// # Language model
//
// OpenLLM makes an Eino chat model for any endpoint that speaks the OpenAI
// protocol.
package model
