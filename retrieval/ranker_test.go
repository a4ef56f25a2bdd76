package retrieval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lexagent/index"
	"lexagent/model"
)

// testRanker prefers what the question's words, by weight, are found in, and then
// what a question of training says.
func testRanker(t *testing.T) *Ranker {
	t.Helper()
	dir := t.TempDir()
	writeRanker(t, dir, askedOf(t, map[string][]string{"两个人和平分手要去哪里办手续": {"民法典:1076"}}), stump("words", 0.01), stump("asked_best", 0.99))
	r, err := OpenRanker(dir, "bags")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stump is a tree that gives 1 to rows whose feature is above a threshold.
func stump(feature string, above float64) tree {
	return tree{Feature: []int{slices.Index(Features(), feature)}, Threshold: []float64{above}, Left: []int{-1}, Right: []int{-2}, Leaf: []float64{0, 1}}
}

func askedOf(t *testing.T, questions map[string][]string) []byte {
	t.Helper()
	var asked []AskedQuestion
	for text, gold := range questions {
		v, err := bags{}.Encode(context.Background(), []string{text}, model.Tuned)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, AskedQuestion{v[0], gold})
	}
	raw, err := EncodeAsked("bags", asked)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func writeRanker(t *testing.T, dir string, asked []byte, all ...tree) {
	t.Helper()
	raw, err := json.Marshal(trees{Features: Features(), Trees: all})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{AskedFile: asked, RankerFile: raw} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A question of training leads to its article though it shares no word with it.
func TestFastRemembersQuestionsOfTraining(t *testing.T) {
	e := newEngine(t, all)
	res := find(t, e, Query{Text: "两个人和平分手要去哪里办手续", Mode: Fast, Explain: true})
	if res.Hits[0].ID != "民法典@2020-05-28:1076" || res.Hits[0].Scores.Rerank == nil {
		t.Errorf("found %v", res.Hits[0])
	}
	res = find(t, e, Query{Text: "两个人和平分手要去哪里办手续", Mode: Fast, Explain: true, Without: []Stage{Rerank}})
	if res.Hits[0].Scores.Rerank != nil || res.Hits[0].Scores.Fused == nil {
		t.Errorf("without the ranker: %+v", res.Hits[0].Scores)
	}
}

// A search by vectors alone remembers too; without its memory it finds what is similar.
func TestDenseRemembersQuestionsOfTraining(t *testing.T) {
	e := newEngine(t, all)
	for _, c := range []struct {
		without []Stage
		above   bool
	}{{nil, true}, {[]Stage{Memory}, false}, {[]Stage{StructNeg}, false}} {
		res := find(t, e, Query{Text: "两个人和平分手要去哪里办手续", Mode: Dense, Explain: true, Without: c.without})
		i := slices.IndexFunc(res.Hits, func(h Hit) bool { return h.ID == "民法典@2020-05-28:1076" })
		if i < 0 || (res.Hits[i].Score > *res.Hits[i].Scores.Dense) != c.above || c.above && i != 0 {
			t.Errorf("without %v: %d, %v", c.without, i, ids(res.Hits))
		}
	}
	if _, err := e.Search(t.Context(), Query{Text: "离婚", Mode: Fast, Without: []Stage{Memory}}); err == nil {
		t.Error("fast has no such stage to leave out: the ranker looks at the questions itself")
	}
}

// The order of the best hits doesn't depend on how many are asked for.
func TestLongListsBeginLikeShortOnes(t *testing.T) {
	found := make([]candidate, 3*fastDepth)
	var words []index.Hit
	for i := range found {
		found[i].id = strconv.Itoa(i)
		words = append(words, index.Hit{ID: found[i].id})
	}
	markDeep(found, words, words[fastDepth:])
	for i := range found {
		if found[i].deep != (i >= 2*fastDepth) {
			t.Errorf("candidate %d: deep is %v", i, found[i].deep)
		}
	}
	e := newEngine(t, all)
	q := Query{Text: "离婚登记申请可以撤回吗", Mode: Fast, K: 2}
	short := find(t, e, q)
	q.K, q.Pool = 5, 500
	if long := find(t, e, q); !slices.Equal(ids(long.Hits)[:2], ids(short.Hits)) {
		t.Errorf("%v, and asked for more %v", ids(short.Hits), ids(long.Hits))
	}
}

func TestCandidatesAreWhatTheRankerSees(t *testing.T) {
	e := newEngine(t, all)
	got, err := e.Candidates(context.Background(), Query{Text: "离婚登记申请可以撤回吗"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		if len(c.Row) != len(Features()) || c.Text == "" {
			t.Fatalf("%+v", c)
		}
		for i, x := range c.Row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: %s is %v", c.ID, Features()[i], x)
			}
		}
		words := c.Row[slices.Index(Features(), "words")]
		if share := c.Row[slices.Index(Features(), "words_share")]; words < 0 || share < 0 || share > 1 {
			t.Errorf("%s: words %v, share %v", c.ID, words, share)
		}
	}
	e.Ranker = nil
	if _, err := e.Candidates(context.Background(), Query{Text: "离婚"}); err == nil {
		t.Error("candidates without a ranker")
	}
}

func TestTreesThatCannotRunAreRefused(t *testing.T) {
	good := stump("words", 1)
	for name, change := range map[string]func(*tree){
		"short list":         func(b *tree) { b.Threshold = nil },
		"too few leaves":     func(b *tree) { b.Leaf = b.Leaf[:1] },
		"unknown feature":    func(b *tree) { b.Feature = []int{99} },
		"a loop":             func(b *tree) { b.Left = []int{0} },
		"a child that isn't": func(b *tree) { b.Right = []int{-4} },
	} {
		bad := good
		change(&bad)
		raw, err := json.Marshal(trees{Features: Features(), Trees: []tree{good, bad}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readTrees(raw, Features()); err == nil || !strings.Contains(err.Error(), "tree 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readTrees([]byte(`{"features":["words"],"trees":[]}`), Features()); err == nil {
		t.Error("other features: accepted")
	}
	lone := trees{Trees: []tree{{Leaf: []float64{0.5}}, good}}
	row := make([]float64, len(Features()))
	if got := lone.score(row); got != 0.5 {
		t.Errorf("score %v", got)
	}
	row[0] = 1.5
	if got := lone.score(row); got != 1.5 {
		t.Errorf("score %v", got)
	}
}

func TestOpenRankerRefusesWhatDoesNotBelong(t *testing.T) {
	if _, err := OpenRanker(t.TempDir(), "bags"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	asked := askedOf(t, map[string][]string{"问": {"民法典:1"}, "答": {"民法典:2"}})
	dir := t.TempDir()
	writeRanker(t, dir, asked, stump("words", 1))
	if _, err := OpenRanker(dir, "others"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another encoder: %v", err)
	}
	for name, broken := range map[string][]byte{
		"cut off": asked[:len(asked)/2], "no base64": bytes.Replace(asked, []byte(`"vector":"`), []byte(`"vector":"*`), 1),
		"another length": bytes.Replace(asked, []byte(`"vector":"`), []byte(`"vector":"AAAA`), 1),
	} {
		writeRanker(t, dir, broken, stump("words", 1))
		if _, err := OpenRanker(dir, "bags"); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
