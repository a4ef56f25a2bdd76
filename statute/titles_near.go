package statute

import "sort"

// nearIndex finds the title most like a name: the titles that share most
// character pairs are candidates, the edit distance decides among them.
type nearIndex struct {
	keys     []string
	titles   []string
	postings map[[2]rune][]int32
}

const (
	nearCandidates = 48  // how many titles are measured
	nearMaxRunes   = 120 // names are cut here
)

func (x *nearIndex) add(key, title string) {
	if x.postings == nil {
		x.postings = map[[2]rune][]int32{}
	}
	n := int32(len(x.keys))
	x.keys, x.titles = append(x.keys, key), append(x.titles, title)
	for pair := range pairs([]rune(key)) {
		x.postings[pair] = append(x.postings[pair], n)
	}
}

// pairs returns the set of neighbouring runes, the two ends of the name included.
func pairs(name []rune) map[[2]rune]bool {
	set := make(map[[2]rune]bool, len(name)+1)
	last := rune(0)
	for _, r := range name {
		set[[2]rune{last, r}] = true
		last = r
	}
	set[[2]rune{last, 0}] = true
	return set
}

func (x *nearIndex) nearest(key string) (title string, ok bool) {
	name := []rune(key)
	if len(name) == 0 {
		return "", false
	}
	name = name[:min(len(name), nearMaxRunes)]
	shared := map[int32]int{}
	for pair := range pairs(name) {
		for _, n := range x.postings[pair] {
			shared[n]++
		}
	}
	candidates := make([]int32, 0, len(shared))
	for n := range shared {
		candidates = append(candidates, n)
	}
	score := func(n int32) float64 { // Dice
		return 2 * float64(shared[n]) / float64(len(name)+len([]rune(x.keys[n]))+2)
	}
	sort.Slice(candidates, func(i, j int) bool {
		a, b := score(candidates[i]), score(candidates[j])
		return a > b || a == b && candidates[i] < candidates[j]
	})
	best := len(name)/2 + 1 // more than half the name different is not near
	for _, n := range candidates[:min(len(candidates), nearCandidates)] {
		if d := editDistance(name, []rune(x.keys[n])); d < best {
			best, title, ok = d, x.titles[n], true
		}
	}
	return title, ok
}

// editDistance is Levenshtein's, on runes.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, ra := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, rb := range b {
			cost := diagonal
			if ra != rb {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
