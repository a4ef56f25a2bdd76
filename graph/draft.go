package graph

import (
	"strings"

	"lexagent/prompts"
	"lexagent/retrieval"
	"lexagent/statute"
)

// Bounds of what a draft is written from, in characters. Small models on this
// side of the wire have windows of 8,192 tokens.
const (
	maxArticleRunes = 900
	maxHistoryTurns = 4
	maxTurnRunes    = 300
	maxStyleRunes   = 300
	draftRunes      = 350
	maxDraftRunes   = 6000 // of a draft that is read: a model that does not stop is cut
)

// draftInput fills the prompt. Long articles are cut to the passages that bear on
// the question; the reader sees them whole all the same.
func draftInput(j *job) prompts.DraftInput {
	in := prompts.DraftInput{
		Question: j.request.Question, Style: clip(j.request.System, maxStyleRunes), MaxChars: draftRunes,
		Objections: j.objections,
	}
	if len(j.objections) > 0 {
		in.Earlier = j.draft
	}
	for i := range j.evidence {
		h := &j.evidence[i]
		in.Articles = append(in.Articles, prompts.DraftArticle{
			Handle: handle(h, j.evidence), Name: "《" + h.Law + "》" + h.Label,
			Text: strings.Join(quoted(j.query, h.Text, maxArticleRunes), "\n"),
		})
	}
	if j.inherits() {
		history := j.request.History
		for _, t := range history[max(0, len(history)-maxHistoryTurns):] {
			speaker := "用户"
			if t.Role == "assistant" {
				speaker = "助手"
			}
			in.History = append(in.History, prompts.DraftTurn{Speaker: speaker, Text: clip(t.Text, maxTurnRunes)})
		}
	}
	return in
}

// handle is the id that the model is asked to cite a hit by: without the version,
// which only costs tokens, unless two versions of the law are in the evidence.
func handle(h *retrieval.Hit, all []retrieval.Hit) string {
	id, err := statute.ParseID(h.ID)
	if err != nil {
		return h.ID
	}
	for i := range all {
		if other, err := statute.ParseID(all[i].ID); err == nil && other.Law == id.Law && other.Version != id.Version {
			return h.ID
		}
	}
	id.Version = ""
	return id.String()
}

func clip(s string, runes int) string {
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes]) + "……"
}
