package ingest

import (
	"strings"

	"lexagent/index"
	"lexagent/statute"
)

// Without names what the texts that are searched by words can be made without, to
// see what it is worth. "" leaves nothing out.
type Without string

// Entities are the terms that a text defines, said again: the article that says what
// a thing is comes before those that only deal with it (LegRAG's entities).
const Entities Without = "entities"

const entitiesSaid = 5 // times more; docs/results.md has what other ways are worth

// Searchable is the text of a unit that is searched by words: law title, nearest
// heading, text, and the terms that the text defines. Outer headings and the label
// measured slightly worse: they only make short articles longer (docs/results.md).
// An article that a question names by its number is looked up, not searched for.
func Searchable(u *statute.Unit, l *statute.Law, without Without) string {
	return index.Compose(l.Title, u.Path[max(0, len(u.Path)-1):], "", withEntities(u.Text, without))
}

// SearchableChunk is the text of a chunk that is searched by words.
func SearchableChunk(p *statute.Passage, l *statute.Law, without Without) string {
	return index.Compose(l.Title, p.Path, "", withEntities(p.Text, without))
}

func withEntities(text string, without Without) string {
	if without == Entities {
		return text
	}
	return text + strings.Repeat("\n"+strings.Join(statute.DefinedTerms(text), "；"), entitiesSaid)
}

// Passage is the text of a unit that is encoded into its vector.
func Passage(u *statute.Unit, l *statute.Law) string { return index.Passage(l.Title, u.Label, u.Text) }

// ChunkPassage is the text of a chunk that is encoded into its vector.
func ChunkPassage(p *statute.Passage, l *statute.Law) string {
	return index.Passage(l.Title, "", p.Text)
}
