// Package statuterag makes true-or-false statements about statutes, as LexPath's
// StatuteRAG has them (App. B): from single-choice questions, each option of which
// becomes a statement, or from the articles of a statute book themselves.
//
//	built, err := statuterag.Build(ctx, items, book, statuterag.Options{})
//	built, err := statuterag.Generate(ctx, book, statuterag.GenerateOptions{N: 300, Seed: 1})
//	err = built.WriteReview(w)                   // a CSV for people to read through
//	err = built.Apply(r)                         // and what they found
//
// The articles of a statement are looked up in the book (LexPath's Φ), so a
// reference that the book doesn't have excludes it. What is excluded is listed with
// its reason.
package statuterag
