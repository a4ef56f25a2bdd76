package graph

import "lexagent/retrieval"

// Request is one question to be answered.
type Request struct {
	Question   string
	History    []Turn                // earlier turns, oldest first
	Scope      retrieval.Scope       // what may be searched
	Mode       retrieval.Mode        // how to search; "" = the default
	By         retrieval.Granularity // what to search for; "" = both articles and chunks. The answer sees whole articles in any case
	Extractive bool                  // answer without a language model
	OnePass    bool                  // one draft, without the language model's review of it: for comparison
	Inline     bool                  // sentences leave as they are written, each through the deterministic gate; the review follows as a note
	Follow     bool                  // articles that the best ones refer to join the evidence, one hop
	MaxTokens  int                   // bound of the draft; 0 = the configured one
	System     string                // what the caller's system message asks for; style only, never grounds
}

// Turn is one message of the conversation so far.
type Turn struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}
