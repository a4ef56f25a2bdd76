package statute

// Names knows the names of laws. *Titles is one.
type Names interface {
	// MatchName returns the length in bytes of the longest law name at the
	// start of text, 0 when there is none.
	MatchName(text string) int
}
