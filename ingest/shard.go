package ingest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Shard is a worker's share of the inputs: those whose names fall to Index of Of. The
// zero value takes all.
type Shard struct {
	Index int // from 1
	Of    int
}

// maxShards bounds how many workers may share the inputs.
const maxShards = 10_000

// ParseShard reads a share such as 2/8.
func ParseShard(s string) (Shard, error) {
	index, of, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || i < 1 || n < i || n > maxShards {
		return Shard{}, fmt.Errorf("%q is not a share of the inputs: for the second of eight workers it is 2/8", s)
	}
	return Shard{i, n}, nil
}

// String returns what ParseShard reads, "" for the zero value.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Partial reports whether other workers have a share too.
func (s Shard) Partial() bool { return s.Of > 1 }

// takes reports whether an input is this worker's. It depends on the name below the
// folder given alone, so that workers may see the folder under different paths.
func (s Shard) takes(key string) bool {
	if s.Of == 0 {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(key)) // never fails, by hash.Hash's contract
	return h.Sum64()%uint64(s.Of) == uint64(s.Index-1)
}

// share takes the inputs of other workers out and returns how many those are.
func (s Shard) share(files []source) (own []source, others int) {
	own = slices.DeleteFunc(files, func(f source) bool { return !s.takes(f.key) })
	return own, len(files) - len(own)
}
