package main

import (
	"context"

	"lexagent/ingest"
	"lexagent/retrieval"
)

// Who tells what articles are for, as ingest --intents names them.
const (
	byClassifier = "classifier"
	byLLM        = "llm"
)

// openLabeler makes what tells an ingest the intents of articles: the classifier that
// lies with the encoder (nil: there is none), else the rules; asked, the language model
// before them. Its replies are kept with those of searches.
func (c *config) openLabeler(ctx context.Context, e ingest.Encoder, asked bool) (l retrieval.Labeler, err error) {
	if e != nil {
		l.Model, err = c.openIntents(e)
	}
	if err != nil || !asked {
		return l, err
	}
	c.LLM.Cache = c.repliesPath()
	asker, err := c.needAsker(ctx, "--intents "+byLLM)
	if err != nil {
		return l, err
	}
	l.LLM, l.Asked = &retrieval.Prompted{LLM: asker}, asker.Name
	return l, nil
}
