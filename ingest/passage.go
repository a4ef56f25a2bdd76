package ingest

import (
	"lexagent/index"
	"lexagent/statute"
)

// Searchable is the text of a unit that is searched by words: law title, nearest
// heading, and text. Outer headings and the label measured slightly worse: they
// only make short articles longer (docs/results.md). An article that a question
// names by its number is looked up, not searched for.
func Searchable(u *statute.Unit, l *statute.Law) string {
	return index.Compose(l.Title, u.Path[max(0, len(u.Path)-1):], "", u.Text)
}

// SearchableChunk is the text of a chunk that is searched by words.
func SearchableChunk(p *statute.Passage, l *statute.Law) string {
	return index.Compose(l.Title, p.Path, "", p.Text)
}

// Passage is the text of a unit that is encoded into its vector.
func Passage(u *statute.Unit, l *statute.Law) string { return index.Passage(l.Title, u.Label, u.Text) }

// ChunkPassage is the text of a chunk that is encoded into its vector.
func ChunkPassage(p *statute.Passage, l *statute.Law) string {
	return index.Passage(l.Title, "", p.Text)
}
