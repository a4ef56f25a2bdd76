// Package state keeps what a server remembers between requests and what is dear to
// make: conversations, cached results, rates of use, and replies of a language
// model. None of it is the truth; it may be lost, and then the server goes on.
//
// Store is the contract, with two implementations: Memory, for one process, and
// Redis, which many replicas share. Both forget by themselves: everything has a
// time to live, and sizes are bounded. Redis out of reach makes every call return
// ErrDown at once, until it is back.
//
// Replies is another thing: a file of a language model's replies, so that an
// experiment can be made again without one.
package state
