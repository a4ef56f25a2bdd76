// Package faults measures whether what is false in a draft leaves. It writes drafts over
// real articles, most with one planted fault and some true, lets the answer graph treat
// them as its language model's, and looks at what comes out:
//
//   - a lie about a statute (a wrong number, an invented law, a changed quotation or
//     amount …) must be taken out, put right, or marked;
//   - a fault of meaning (可以 for 不得, a 但书 left out …) and an article given without one
//     of its items (项), or without the paragraph (款) that limits it, should be;
//   - a true draft must leave as it is.
//
// Drafts are made with a seed, so that a figure can be made again.
package faults
