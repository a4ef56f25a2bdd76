package retrieval

import (
	"lexagent/prompts"
	"lexagent/statute"
)

// Hit is one unit found, whole, with what a reader needs to judge it. Its JSON
// is the line format of run files and of POST /v1/search.
type Hit struct {
	ID       string         `json:"id"`                   // 民法典@2020-05-28:1077
	SourceID string         `json:"source_id,omitempty"`  // the corpus's own id, for gold files
	Also     []string       `json:"source_ids,omitempty"` // all of the corpus's ids, when copies gave it several
	Kind     statute.Kind   `json:"kind"`
	Units    []string       `json:"articles,omitempty"` // of a chunk: ids of the units it holds
	Law      string         `json:"law"`                // title as printed
	Label    string         `json:"label"`              // 第一千零七十七条
	Text     string         `json:"text"`               // the whole unit
	Score    float64        `json:"score"`              // what the list is sorted by; comparable within one result only
	LawID    string         `json:"law_id"`
	Path     []string       `json:"path,omitempty"` // 编, 章, 节, outermost first
	Status   statute.Status `json:"status"`         // on the day asked about (today when none was)
	Level    statute.Level  `json:"level"`
	Scores   *Scores        `json:"scores,omitempty"` // by stage, when asked to explain
	Intent   prompts.Intent `json:"intent,omitempty"` // what it is for, when asked to explain a search that looked at it
}

// Scores tells how a hit got its place. A stage that did not run is absent;
// sparse and dense are raw (BM25, inner product of unit vectors).
type Scores struct {
	Sparse *float64 `json:"sparse,omitempty"`
	Dense  *float64 `json:"dense,omitempty"`
	Plain  *float64 `json:"plain,omitempty"` // similarity by the model as it was before tuning, by which a hit's bearing is judged
	Fused  *float64 `json:"fused,omitempty"`
	Rerank *float64 `json:"rerank,omitempty"` // of the learned ranker, in LexPath through a sigmoid or by the cross-encoder; comparable within one result only
	Intent *float64 `json:"intent,omitempty"` // 1 = the intent of the question
	Final  float64  `json:"final"`
}
