package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scope is what a key is for.
type Scope string

// The scopes. Admin includes the others.
const (
	Ask    Scope = "ask"    // answers, conversations, feedback
	Search Scope = "search" // searches, the statute book, checks
	Ingest Scope = "ingest" // uploads and their jobs
	Admin  Scope = "admin"
)

// Scopes lists the scopes.
var Scopes = []Scope{Ask, Search, Ingest, Admin}

// AllCollections is, as the only collection of a key, every one.
const AllCollections = "*"

// Key is an API key as it is kept: without the key itself.
type Key struct {
	ID          string     `json:"id"`   // how it is named in logs, lists and conversations
	Name        string     `json:"name"` // whose it is
	Hash        string     `json:"sha256,omitempty"`
	Scopes      []Scope    `json:"scopes"`
	Collections []string   `json:"collections"`
	PerMinute   int        `json:"requests_per_minute,omitempty"` // 0 = the server's
	TokensDaily int        `json:"tokens_per_day,omitempty"`      // 0 = the server's
	Created     time.Time  `json:"created"`
	Expires     *time.Time `json:"expires,omitempty"`
	Revoked     *time.Time `json:"revoked,omitempty"`
}

// New fills in the rest of a key and returns the secret, which is kept nowhere.
func New(k Key, now time.Time) (Key, string, error) {
	if strings.TrimSpace(k.Name) == "" {
		return k, "", errors.New("a key needs a name, so that one knows later whose it is")
	}
	if len(k.Scopes) == 0 {
		return k, "", fmt.Errorf("a key needs a scope: %v", Scopes)
	}
	for _, s := range k.Scopes {
		if !slices.Contains(Scopes, s) {
			return k, "", fmt.Errorf("there is no scope %q; they are %v", s, Scopes)
		}
	}
	if len(k.Collections) == 0 || slices.Contains(k.Collections, "") {
		return k, "", errors.New("a key needs collections to see, or " + AllCollections + " for all")
	}
	if slices.Contains(k.Collections, AllCollections) && len(k.Collections) > 1 {
		return k, "", errors.New(AllCollections + " are all collections, and stands alone")
	}
	// The secret has 128 random bits, so a plain digest of it can't be guessed back.
	secret := "lexagent-" + rand.Text()
	k.ID, k.Hash, k.Created = "k"+strings.ToLower(rand.Text()[:10]), digest(secret), now.UTC().Truncate(time.Second)
	return k, secret, nil
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Active reports whether the key opens anything now.
func (k *Key) Active(now time.Time) bool {
	return k.Revoked == nil && (k.Expires == nil || now.Before(*k.Expires))
}

// May reports whether the key has a scope.
func (k *Key) May(s Scope) bool {
	return slices.Contains(k.Scopes, s) || slices.Contains(k.Scopes, Admin)
}

// Sees reports whether the key sees a collection.
func (k *Key) Sees(collection string) bool {
	return k.SeesAll() || slices.Contains(k.Collections, collection)
}

// SeesAll reports whether the key sees every collection.
func (k *Key) SeesAll() bool { return slices.Contains(k.Collections, AllCollections) }
