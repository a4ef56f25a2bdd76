package ingest

import (
	"lexagent/index"
	"lexagent/statute"
)

// Searchable is the text of a unit that is searched by words: law title,
// headings, label and text.
func Searchable(u *statute.Unit, l *statute.Law) string {
	return index.Compose(l.Title, u.Path, u.Label, u.Text)
}

// Passage is the text of a unit that is encoded into its vector: law title,
// label and text.
func Passage(u *statute.Unit, l *statute.Law) string {
	return l.Title + " " + u.Label + " " + u.Text
}

// ChunkPassage is the text of a chunk that is encoded into its vector.
func ChunkPassage(p *statute.Passage, l *statute.Law) string {
	return l.Title + " " + p.Text
}
