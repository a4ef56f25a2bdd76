// Package verify checks what a text says about statutes against the statute book:
//
//   - every reference: does the article exist, has it such a paragraph (款) or item
//     (项), is it in force on the day asked about, was it in the evidence;
//   - every quotation: is it word for word in the article it is attributed to, or
//     altered, or another article's, or nobody's;
//   - every figure (money, time, shares, ages, multiples): do the articles cited, or
//     the question, have it.
//
// Checks are deterministic and look things up exactly: nothing "probably exists". A
// quotation is compared by its letters and the values of its numbers; white space,
// marks and Markdown make no difference, every other letter does. Which article a
// quotation is from is read from the text: the reference right before it (规定：“…”),
// or behind it in brackets. Words that only stand near a reference are compared too,
// but are never called false because no article has them: they may be a court's.
//
// Each Finding has a Verdict, what was found out, and a Severity, what that means for
// the text: false (the book says otherwise), unsupported (nothing here bears it out),
// ok, unchecked. A Report is not OK when a finding is false.
//
// Gate takes out of a text the sentences that rest on what did not pass.
//
//	c := &verify.Checker{Book: b, Words: verify.Index{Store: store}}
//	report, err := c.Check(ctx, verify.Draft{Text: text, Collections: []string{"public"}, Day: today})
package verify
