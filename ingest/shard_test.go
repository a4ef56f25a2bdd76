package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShard(t *testing.T) {
	for in, want := range map[string]Shard{"1/1": {1, 1}, "2/8": {2, 8}, "8/8": {8, 8}, "10000/10000": {10000, 10000}} {
		if got, err := ParseShard(in); err != nil || got != want || got.String() != in {
			t.Errorf("%s: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "1", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1/10001", " 1/2", "1.5/2"} {
		if _, err := ParseShard(in); err == nil || !strings.Contains(err.Error(), "2/8") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// Every input falls to one worker, wherever the folder lies that holds it, and each
// gets about as many as the others.
func TestSharesAreDisjointAndWhole(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	writeLaws(t, a, 120)
	writeLaws(t, b, 120)
	of := map[string]int{}
	for _, root := range []string{a, b} {
		for i := 1; i <= 4; i++ {
			d, err := discover(context.Background(), []string{root}, t.TempDir(), "public", func(string, bool, error) {})
			if err != nil {
				t.Fatal(err)
			}
			own, others := Shard{i, 4}.share(d.files)
			if len(own)+others != 120 || len(own) < 15 {
				t.Errorf("worker %d has %d of 120, and %d are others'", i, len(own), others)
			}
			for _, f := range own {
				name := filepath.Base(f.path)
				if have := of[name]; have != 0 && (root == a || have != i) {
					t.Errorf("%s falls to worker %d and to %d", name, have, i)
				}
				of[name] = i
			}
		}
	}
	if len(of) != 120 {
		t.Errorf("%d of 120 files fall to somebody", len(of))
	}
}

// What workers read and embedded, put together, is what one alone makes, to the byte
// of the index; and nothing is embedded twice.
func TestWorkersTogetherAreOneIngest(t *testing.T) {
	src, base := t.TempDir(), t.TempDir()
	writeLaws(t, src, 40)
	writeFile(t, filepath.Join(src, "again.md"), lawText(7, "应当备案")) // collides with law007.md
	writeFile(t, filepath.Join(src, "copy.md"), lawText(8, "应当依法登记"))
	revised := filepath.Join(src, "law009.md")
	whole, single := filepath.Join(base, "whole"), filepath.Join(base, "single")
	var workers []string
	for i := 1; i <= 3; i++ {
		dir := filepath.Join(base, "worker", string(rune('0'+i)))
		workers = append(workers, dir)
		o := Options{Encoder: &bags{}, Shard: Shard{i, 3}}
		if r := ingest(t, dir, o, src); r.Shard == "" || r.Files+r.Others != 42 {
			t.Errorf("%+v", r)
		}
	}
	one := &bags{}
	ingest(t, single, Options{Encoder: one}, src)
	sum := &bags{}
	r := ingest(t, whole, Options{Encoder: sum}, workers...)
	if r.Files != 42 || r.Book.Units != 121 || r.Vectors.Done != r.Vectors.Total || r.Coverage.Share != 1 || len(r.Sources) != 42 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff(contents(t, single), contents(t, whole)); diff != "" {
		t.Errorf("(-one +workers)\n%s", diff)
	}
	if made := one.texts - sum.texts; made < r.Vectors.Total-r.Book.Chunks-5 { // chunks may span what other workers have
		t.Errorf("%d texts were encoded anew, %d by one alone", sum.texts, one.texts)
	}
	if left, err := filepath.Glob(filepath.Join(IndexRoot(whole), lent+"*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}

	// Again: nothing to do. Then a worker's file changes.
	if r := ingest(t, whole, Options{}, workers...); r.Unchanged != 42 {
		t.Errorf("%+v", r)
	}
	writeFile(t, revised, lawText(9, "应当报批"))
	for i, dir := range workers {
		ingest(t, dir, Options{Shard: Shard{i + 1, 3}}, src)
	}
	if r := ingest(t, whole, Options{}, workers...); r.Unchanged != 41 || r.Replaced != 1 {
		t.Errorf("%+v", r)
	}
	sameAsClean(t, whole, src)
	// What the workers hold is stored as if it had been read here.
	if r := ingest(t, whole, Options{}, src); r.Unchanged != 42 {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsNoWorkersData(t *testing.T) {
	src, base := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	a, b, empty := filepath.Join(base, "a"), filepath.Join(base, "b"), filepath.Join(base, "empty")
	ingest(t, a, Options{}, src)
	writeFile(t, filepath.Join(src, "law000.md"), lawText(0, "应当备案"))
	ingest(t, b, Options{}, src)

	// Two workers with different contents of one file: the first counts.
	r := ingest(t, filepath.Join(base, "ab"), Options{}, a, b)
	if r.Files != 2 || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, "different contents") {
		t.Errorf("%+v", r)
	}
	// A data folder into itself, and a folder of laws with a foreign book.db.
	if _, err := Run(context.Background(), a, []string{a}, Options{}); err != nil {
		t.Error(err)
	}
	writeFile(t, filepath.Join(empty, "book.db"), "this is no database of anybody's, and long enough to look like a file")
	writeFile(t, filepath.Join(empty, "law.md"), lawText(3, "应当登记"))
	if r := ingest(t, filepath.Join(base, "c"), Options{}, empty); r.New != 3 {
		t.Errorf("%+v", r)
	}
	// What a worker didn't bring to its end is taken, and told.
	broken := filepath.Join(src, "units.jsonl")
	writeFile(t, broken, `{"law_title":"示范办法","kind":"article","label":"第一条","text":"一"}`+"\n{broken\n")
	if err := os.RemoveAll(b); err != nil {
		t.Fatal(err)
	}
	ingest(t, b, Options{}, src)
	r = ingest(t, filepath.Join(base, "d"), Options{}, b)
	if r.New != 7 || len(r.Skipped) != 1 || r.Skipped[0].Path != broken {
		t.Errorf("%+v", r)
	}
	if _, err := Run(context.Background(), filepath.Join(base, "e"), []string{b}, Options{OnlyIDs: IDSet{"x": true}}); err == nil {
		t.Error("a list of ids selects from a data folder")
	}
}

// Earlier versions that a worker keeps are put together with the rest, and stay.
func TestKeptVersionsOfAWorker(t *testing.T) {
	src, worker, whole := t.TempDir(), t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	ingest(t, worker, Options{}, src)
	revise := func(rule string) {
		text := strings.Replace(lawText(0, rule), "2019年1月1日国务院公布", "2019年1月1日国务院公布 2022年5月6日国务院修订", 1)
		writeFile(t, filepath.Join(src, "law000.md"), text)
		ingest(t, worker, Options{}, src)
	}
	for _, rule := range []string{"应当备案", "应当报批"} {
		revise(rule)
		if r := ingest(t, whole, Options{}, worker); r.Book.Laws != 3 {
			t.Errorf("%s: %+v", rule, r.Book)
		}
		if diff := cmp.Diff(contents(t, worker), contents(t, whole)); diff != "" {
			t.Errorf("%s (-worker +whole)\n%s", rule, diff)
		}
	}
	if r := ingest(t, whole, Options{}, src); r.Unchanged != 2 || r.Book.Laws != 3 {
		t.Errorf("%+v", r)
	}
}
