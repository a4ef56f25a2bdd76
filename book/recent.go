package book

import "lexagent/state"

// How much of the texts that were read last a reader keeps, in bytes: SQLite takes twenty
// times as long for one, and a ranked search reads a hundred. What is kept belongs to one
// revision of the laws, so what writers have changed is read anew after the next Reload.
const (
	unitBytes  = 8 << 20
	chunkBytes = 16 << 20
)

// reread returns what is kept of a text, or loads it; bytes is how long a text is. Lists
// within it are shared: nobody writes to them. A writer sees its own changes at once, so
// it keeps nothing.
func reread[T any](b *Book, kept *state.Recent[T], key lawKey, load func() (*T, error), bytes func(*T) int) (*T, error) {
	if b.lock != nil {
		return load()
	}
	at := key.collection + "\x00" + key.id
	if v, ok := kept.Get(at); ok {
		return &v, nil
	}
	v, err := load()
	if err != nil {
		return nil, err
	}
	kept.Put(at, *v, bytes(v))
	return v, nil
}
