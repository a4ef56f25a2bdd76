package state

import (
	"context"
	"errors"
	"time"
)

// Errors of a Store.
var (
	// ErrNone is returned when there is nothing under a key, or no longer.
	ErrNone = errors.New("nothing is kept under this key")
	// ErrDown is returned, wrapped, while the store is out of reach.
	ErrDown = errors.New("the store of conversations and caches is out of reach")
	// ErrTooLarge is returned for a value beyond MaxValue.
	ErrTooLarge = errors.New("the value is too large to be kept")
)

// Bounds of what is kept.
const (
	MaxValue = 1 << 20 // bytes of one value, and of one turn of a conversation
	MaxTurns = 200     // of one conversation; older ones go
)

// Turn is one message of a conversation.
type Turn struct {
	Role      string    `json:"role"` // user or assistant
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
	Answer    string    `json:"answer_id,omitempty"` // id of the answer that this is
	Citations []string  `json:"citations,omitempty"` // ids of the articles it rests on
}

// Conversations are lists of turns. A conversation belongs to its owner: under
// another one the same id is another conversation.
type Conversations interface {
	// Turns returns a conversation, oldest turn first, or ErrNone.
	Turns(ctx context.Context, owner, id string) ([]Turn, error)
	// Append adds turns, all or none of them, and keeps the whole for so long from now.
	Append(ctx context.Context, owner, id string, keep time.Duration, turns ...Turn) error
	// Forget deletes a conversation, or returns ErrNone.
	Forget(ctx context.Context, owner, id string) error
}

// Cache keeps values that can be made again, and locks for those who make them.
type Cache interface {
	// Get returns a value, or ErrNone. Callers do not change it.
	Get(ctx context.Context, key string) ([]byte, error)
	Put(ctx context.Context, key string, value []byte, keep time.Duration) error
	// Lock takes a lock that ends by unlock or, where its holder died, after hold.
	// Where another has it, it returns false at once.
	Lock(ctx context.Context, key string, hold time.Duration) (unlock func(), got bool, err error)
}

// Limits count what is used in windows of time. The first use begins a window.
type Limits interface {
	// Use counts n towards limit, unless that exceeds it: then nothing is counted and
	// OK is false. With n = 0 OK says whether any is left; without a limit (0) n is
	// counted whatever is used.
	Use(ctx context.Context, key string, n, limit int, window time.Duration) (Allowance, error)
}

// Allowance is what a window has left.
type Allowance struct {
	OK    bool
	Used  int
	Reset time.Duration // until the window ends; the whole window where none has begun
}

// Store is everything that a server remembers between requests.
type Store interface {
	Conversations
	Cache
	Limits
	// Check returns nil when the store answers.
	Check(ctx context.Context) error
}

// turnsFit refuses turns that are too large.
func turnsFit(lines [][]byte) error {
	for _, l := range lines {
		if len(l) > MaxValue {
			return ErrTooLarge
		}
	}
	return nil
}
