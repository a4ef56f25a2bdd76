package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// charsmap is SentencePiece's compiled normalisation: what to write for a sequence of
// characters. It is a double array of the sequences (Aoe 1989), each leaf of which
// points to its replacement among texts that end in NUL.
type charsmap struct {
	units []uint32
	texts []byte
}

// maxCluster is the length in bytes from which a cluster of characters is looked up
// character by character.
const maxCluster = 6

func readCharsmap(raw []byte) (*charsmap, error) {
	if len(raw) < 4 {
		return nil, errors.New("its precompiled_charsmap is missing or cut")
	}
	size := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	if size%4 != 0 || size > len(raw) || size == 0 {
		return nil, errors.New("its precompiled_charsmap is damaged")
	}
	c := &charsmap{units: make([]uint32, size/4), texts: raw[size:]}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return c, nil
}

// replace normalises text: by whole clusters where they are short and known, else by
// characters.
func (c *charsmap) replace(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	state := -1
	for text != "" {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		if len(cluster) < maxCluster {
			if to, ok := c.find(cluster); ok {
				b.Write(to)
				continue
			}
		}
		for cluster != "" {
			_, n := utf8.DecodeRuneInString(cluster)
			if to, ok := c.find(cluster[:n]); ok {
				b.Write(to)
			} else {
				b.WriteString(cluster[:n])
			}
			cluster = cluster[n:]
		}
	}
	return b.String()
}

// find returns the replacement of the shortest head of key that has one.
func (c *charsmap) find(key string) ([]byte, bool) {
	at := offset(c.units[0])
	for i := range len(key) {
		if key[i] == 0 {
			break
		}
		at ^= uint32(key[i])
		if int(at) >= len(c.units) {
			break
		}
		unit := c.units[at]
		if unit&(1<<31|0xFF) != uint32(key[i]) {
			break
		}
		at ^= offset(unit)
		if unit>>8&1 == 1 && int(at) < len(c.units) {
			return c.text(c.units[at] & (1<<31 - 1))
		}
	}
	return nil, false
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// text is the replacement that begins at a place.
func (c *charsmap) text(at uint32) ([]byte, bool) {
	if int(at) >= len(c.texts) {
		return nil, false
	}
	rest := c.texts[at:]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		return rest[:end], true
	}
	return rest, true
}
