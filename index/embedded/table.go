package embedded

import "fmt"

// table is a list of distinct strings with a hash table over them, as it lies in
// three sections of a file: byte offsets (n+1), the bytes, and the slots of an
// open-addressing table that hold number+1, 0 where empty.
type table struct {
	offsets []uint32
	text    []byte
	slots   []uint32
}

const tableSections = 3

// newTable lays out strings, which must be distinct.
func newTable(list []string) (*table, error) {
	size := 1
	for size < 2*len(list)+1 {
		size *= 2
	}
	t := &table{offsets: make([]uint32, 1, len(list)+1), slots: make([]uint32, size)}
	for i, s := range list {
		if uint64(len(t.text))+uint64(len(s)) > 1<<32-1 {
			return nil, fmt.Errorf("the index has more than 4 GB of ids or terms")
		}
		t.text = append(t.text, s...)
		t.offsets = append(t.offsets, uint32(len(t.text)))
		t.slots[t.slot(s)] = uint32(i + 1)
	}
	return t, nil
}

// readTable checks what it reads, so that later accesses stay inside.
func readTable(sections [][]byte) (*table, error) {
	t := &table{offsets: view[uint32](sections[0]), text: sections[1], slots: view[uint32](sections[2])}
	if len(t.offsets) == 0 || len(t.slots)&(len(t.slots)-1) != 0 || len(t.slots) < len(t.offsets) {
		return nil, fmt.Errorf("%w: a table of strings has the wrong size", ErrDamaged)
	}
	for i := 1; i < len(t.offsets); i++ {
		if t.offsets[i] < t.offsets[i-1] {
			return nil, fmt.Errorf("%w: a table of strings is out of order", ErrDamaged)
		}
	}
	if int(t.offsets[len(t.offsets)-1]) != len(t.text) {
		return nil, fmt.Errorf("%w: a table of strings is cut off", ErrDamaged)
	}
	used := 0
	for _, n := range t.slots {
		if n != 0 {
			used++
		}
		if int(n) > t.len() {
			return nil, fmt.Errorf("%w: a table of strings points to nothing", ErrDamaged)
		}
	}
	if used != t.len() {
		return nil, fmt.Errorf("%w: a table of strings has lost some", ErrDamaged)
	}
	return t, nil
}

// sizes are the sizes of the three sections.
func (t *table) sizes() []int { return []int{4 * len(t.offsets), len(t.text), 4 * len(t.slots)} }

func (t *table) write(to []*section) error {
	return writeAll(to, raw(t.offsets), t.text, raw(t.slots))
}

func (t *table) len() int { return len(t.offsets) - 1 }

// bytes is string i where it lies, in the mapped file.
func (t *table) bytes(i int) []byte { return t.text[t.offsets[i]:t.offsets[i+1]] }

// at copies string i, so that it outlives the mapping.
func (t *table) at(i int) string { return string(t.bytes(i)) }

// find returns the number of a string.
func (t *table) find(s string) (int, bool) {
	n := t.slots[t.slot(s)]
	return int(n) - 1, n != 0
}

// slot finds where s is, or would go. Half of the slots are empty at least.
func (t *table) slot(s string) int {
	mask := uint64(len(t.slots) - 1)
	for i := hashOf(s) & mask; ; i = (i + 1) & mask {
		n := t.slots[i]
		if n == 0 || string(t.bytes(int(n-1))) == s {
			return int(i)
		}
	}
}

// hashOf is FNV-1a with the high bits folded in; it is part of the file format.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h ^ h>>32
}

// writeAll writes one slice of bytes to each section.
func writeAll(to []*section, parts ...[]byte) error {
	for i, p := range parts {
		if _, err := to[i].Write(p); err != nil {
			return err
		}
	}
	return nil
}
