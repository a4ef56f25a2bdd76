package index

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the lexicon
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed lexicon/words.tsv.gz
var embedded []byte

// The lexicon is a trie in one open-addressing hash table. A slot holds an edge:
// parent node, rune, child node.
const (
	runeBits  = 21
	nodeBits  = 21
	maxNodes  = 1 << nodeBits
	maxLength = 16 // runes of the longest word
)

// Lexicon is a set of words with their log-probabilities, as a trie. It is
// immutable and safe for concurrent use.
type Lexicon struct {
	slots   []uint64  // parent<<42 | rune<<21 | child; 0 = empty
	logProb []float32 // by node; 0 = no word ends here
	unknown float32   // log-probability of a character that is no word
	words   int
	id      string // first 8 hex digits of the SHA-256 of the file
}

// DefaultLexicon returns the embedded lexicon. It is loaded once, on first use.
var DefaultLexicon = sync.OnceValues(func() (*Lexicon, error) { return ReadLexicon(embedded) })

// ReadLexicon reads a gzipped list of lines word<TAB>count. Words that have no
// count of at least 1, or more than 16 characters, are an error.
func ReadLexicon(file []byte) (*Lexicon, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("the lexicon is not gzipped: %w", err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("the lexicon is damaged: %w", err)
	}
	sum := sha256.Sum256(file)
	return parseLexicon(string(raw), hex.EncodeToString(sum[:4]))
}

func parseLexicon(text, id string) (*Lexicon, error) {
	lines := strings.Count(text, "\n") + 1
	size := 1 << 10
	for size < 5*lines {
		size *= 2
	}
	l := &Lexicon{slots: make([]uint64, size), logProb: make([]float32, 1, 3*lines), id: id}
	total := 0.0
	for line := range strings.Lines(text) {
		word, count, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || word == "" || len([]rune(word)) > maxLength {
			return nil, fmt.Errorf("the lexicon has a line that is not word<TAB>count: %q", line)
		}
		if err := l.add(word, n); err != nil {
			return nil, err
		}
		total += float64(n)
	}
	for i, n := range l.logProb {
		if n > 0 {
			l.logProb[i] = float32(math.Log(float64(n) / (total + 1)))
		}
	}
	l.unknown = float32(math.Log(0.5 / (total + 1)))
	return l, nil
}

// add enters a word; logProb holds its count until all are known.
func (l *Lexicon) add(word string, count int) error {
	node := uint32(0)
	for _, r := range word {
		slot := l.slot(node, r)
		if l.slots[slot] == 0 {
			child := len(l.logProb)
			if child >= maxNodes || 2*child > len(l.slots) && !l.grow() {
				return fmt.Errorf("the lexicon has more than %d nodes", maxNodes)
			}
			l.logProb = append(l.logProb, 0)
			l.slots[l.slot(node, r)] = edge(node, r) | uint64(child)
			node = uint32(child)
			continue
		}
		node = uint32(l.slots[slot] & (maxNodes - 1))
	}
	if l.logProb[node] == 0 {
		l.words++
	}
	l.logProb[node] += float32(count)
	return nil
}

// grow doubles the table.
func (l *Lexicon) grow() bool {
	if len(l.slots) > 4*maxNodes {
		return false
	}
	old := l.slots
	l.slots = make([]uint64, 2*len(old))
	for _, s := range old {
		if s != 0 {
			l.slots[l.slot(uint32(s>>(runeBits+nodeBits)), rune(s>>nodeBits&(1<<runeBits-1)))] = s
		}
	}
	return true
}

func edge(node uint32, r rune) uint64 {
	return uint64(node)<<(runeBits+nodeBits) | uint64(r)<<nodeBits
}

// slot finds the place of an edge: where it is, or where it would go.
func (l *Lexicon) slot(node uint32, r rune) int {
	key := edge(node, r)
	mask := uint64(len(l.slots) - 1)
	h := key * 0x9e3779b97f4a7c15
	for i := (h >> 32) & mask; ; i = (i + 1) & mask {
		if s := l.slots[i]; s == 0 || s&^(maxNodes-1) == key {
			return int(i)
		}
	}
}

// child follows an edge; 0 means there is none.
func (l *Lexicon) child(node uint32, r rune) uint32 {
	return uint32(l.slots[l.slot(node, r)] & (maxNodes - 1))
}

// Words is how many words there are.
func (l *Lexicon) Words() int { return l.words }

// ID names the lexicon's content, in eight hex digits.
func (l *Lexicon) ID() string { return l.id }
