package embedded

import (
	"fmt"

	"lexagent/index"
	"lexagent/statute"
)

const (
	docsKind      = "DOCS\x00\x00\x00\x00"
	docsArrays    = 8
	docsSections  = docsArrays + 5*tableSections
	maxDocuments  = 1 << 31
	lawTable      = 1
	collectionTab = 2
	regionTable   = 3
	kindTable     = 4
)

// documents is the attributes of every document, in columns. Laws, collections,
// regions and kinds are numbers into tables of their own.
type documents struct {
	laws, collections, regions, kinds []uint32
	levels                            []int8
	from, until                       []int32
	hashes                            []uint64
	ids                               *table
	names                             [kindTable + 1]*table // by lawTable … kindTable; 0 is not used
}

// attributes collects documents while they are built.
type attributes struct {
	documents
	list    []string
	numbers [kindTable + 1]map[string]uint32
	named   [kindTable + 1][]string
}

func newAttributes() *attributes {
	a := &attributes{}
	for i := range a.numbers {
		a.numbers[i] = map[string]uint32{}
	}
	return a
}

// add appends a document.
func (a *attributes) add(d *index.Doc) {
	a.list = append(a.list, d.ID)
	a.laws = append(a.laws, a.number(lawTable, d.Law))
	a.collections = append(a.collections, a.number(collectionTab, d.Collection))
	a.regions = append(a.regions, a.number(regionTable, d.Region))
	a.kinds = append(a.kinds, a.number(kindTable, string(d.Kind)))
	a.levels = append(a.levels, int8(d.Level))
	a.from = append(a.from, int32(d.From))
	a.until = append(a.until, int32(d.Until))
	a.hashes = append(a.hashes, d.Hash)
}

func (a *attributes) number(tab int, name string) uint32 {
	n, ok := a.numbers[tab][name]
	if !ok {
		n = uint32(len(a.named[tab]))
		a.numbers[tab][name] = n
		a.named[tab] = append(a.named[tab], name)
	}
	return n
}

// write writes the documents' file.
func (a *attributes) write(path string) (err error) {
	if a.ids, err = newTable(a.list); err != nil {
		return err
	}
	columns := [docsArrays][]byte{raw(a.hashes), raw(a.laws), raw(a.collections), raw(a.regions), raw(a.kinds),
		raw(a.from), raw(a.until), raw(a.levels)}
	var sizes []int
	for _, c := range columns {
		sizes = append(sizes, len(c))
	}
	tables := []*table{a.ids}
	for i := lawTable; i <= kindTable; i++ {
		t, err := newTable(a.named[i])
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	for _, t := range tables {
		sizes = append(sizes, t.sizes()...)
	}
	return writeSections(path, docsKind, sizes, func(to []*section) error {
		if err := writeAll(to, columns[:]...); err != nil {
			return err
		}
		for i, t := range tables {
			if err := t.write(to[docsArrays+i*tableSections:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// readDocuments checks the file's columns against each other.
func readDocuments(s [][]byte) (*documents, error) {
	d := &documents{hashes: view[uint64](s[0]), laws: view[uint32](s[1]), collections: view[uint32](s[2]),
		regions: view[uint32](s[3]), kinds: view[uint32](s[4]), from: view[int32](s[5]), until: view[int32](s[6]),
		levels: view[int8](s[7])}
	var err error
	if d.ids, err = readTable(s[docsArrays:]); err != nil {
		return nil, err
	}
	n := d.ids.len()
	columns := [kindTable + 1][]uint32{lawTable: d.laws, collectionTab: d.collections, regionTable: d.regions, kindTable: d.kinds}
	for i := lawTable; i <= kindTable; i++ {
		if d.names[i], err = readTable(s[docsArrays+i*tableSections:]); err != nil {
			return nil, err
		}
		for _, number := range columns[i] {
			if int(number) >= d.names[i].len() {
				return nil, fmt.Errorf("%w: a document points to nothing", ErrDamaged)
			}
		}
		if len(columns[i]) != n {
			return nil, fmt.Errorf("%w: the documents' columns differ in length", ErrDamaged)
		}
	}
	if len(d.hashes) != n || len(d.from) != n || len(d.until) != n || len(d.levels) != n {
		return nil, fmt.Errorf("%w: the documents' columns differ in length", ErrDamaged)
	}
	return d, nil
}

func (d *documents) len() int { return len(d.laws) }

// numbers translates the names of a filter into a lookup by number; nil when the
// filter names none, which lets everything pass.
func (d *documents) numbers(tab int, names []string) []bool {
	if len(names) == 0 {
		return nil
	}
	set := make([]bool, d.names[tab].len())
	for _, name := range names {
		if n, ok := d.names[tab].find(name); ok {
			set[n] = true
		}
	}
	return set
}

func kindNames(kinds []statute.Kind) []string {
	names := make([]string, 0, len(kinds))
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}
