package book

import "strings"

// DocID is the id of a unit in an index, which holds all collections: the unit's
// own id in the default collection, else with the collection before it. The mark
// between them occurs in no id.
func DocID(collection, id string) string {
	if collection == DefaultCollection {
		return id
	}
	return collection + "|" + id
}

// SplitDocID undoes DocID.
func SplitDocID(doc string) (collection, id string) {
	if c, rest, ok := strings.Cut(doc, "|"); ok {
		return c, rest
	}
	return DefaultCollection, doc
}

// IsChunk reports whether id is the id of a chunk: 民法典@2020-05-28:块12.
func IsChunk(id string) bool {
	_, key, _ := strings.Cut(id, ":")
	return strings.HasPrefix(key, "块")
}

// DefaultCollection is the collection that units belong to unless told.
const DefaultCollection = "public"
