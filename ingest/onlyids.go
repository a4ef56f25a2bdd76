package ingest

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"lexagent/statute"
)

// IDSet selects units by their id or their corpus's id. A nil set selects all.
type IDSet map[string]bool

// ReadIDs reads a list of ids, one a line.
func ReadIDs(path string) (IDSet, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the list of ids: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	ids := IDSet{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if id := strings.TrimSpace(sc.Text()); id != "" {
			ids[id] = true
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read the list of ids %s: %w", path, err)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the list of ids %s is empty", path)
	}
	return ids, nil
}

// filter returns the selected units, in a slice of its own.
func (s IDSet) filter(units []statute.Unit) []statute.Unit {
	if s == nil {
		return units
	}
	return slices.DeleteFunc(slices.Clone(units), func(u statute.Unit) bool { return !s[u.ID] && !s[u.SourceID] })
}

func (s IDSet) digest() string {
	if s == nil {
		return "all"
	}
	ids := make([]string, 0, len(s))
	for id := range s {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:])
}
