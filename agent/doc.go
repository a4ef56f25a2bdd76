// Package agent holds one conversation: what was said before, how long an answer may
// take, and who makes it.
//
// Agent has the answer graph make it. Loop has a language model call tools until it
// writes an answer: it reads the stream of each reply itself, since models write calls in
// many ways (Loop's turn), takes away what they thought aloud, tells them what they did
// wrong, and ends what has no end. Nothing of a reply leaves before the graph's gate has
// checked it against what the tools have shown. Where the model fails, the answer is made
// of the articles and says so.
package agent
