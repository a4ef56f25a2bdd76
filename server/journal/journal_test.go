package journal_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"lexagent/server/journal"
)

type record struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

func numbers(t *testing.T, path string) (all []int) {
	t.Helper()
	if err := journal.Read(path, func(r record) error { all = append(all, r.N); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func add(t *testing.T, j *journal.File, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := j.Append(record{n, "四个汉字"}); err != nil {
			t.Fatal(err)
		}
	}
}

// A journal holds the latest records in files of bounded size, over restarts.
func TestJournalIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	if got := numbers(t, path); got != nil {
		t.Errorf("one that does not exist has %v", got)
	}
	const size = 100 // three records
	j := journal.Open(path, size)
	add(t, j, 0, 4)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = journal.Open(path, size)
	add(t, j, 4, 40)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	got := numbers(t, path)
	if len(got) < 13 || len(got) > 15 || got[len(got)-1] != 39 || !slices.IsSorted(got) {
		t.Errorf("%v", got)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 5 {
		t.Errorf("%v, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Size() > size || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info, err)
		}
	}
}

func TestAnUnfinishedLineIsPassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	if err := os.WriteFile(path, []byte("{\"n\":1}\n{\"n\":2}\n{\"n\":"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := numbers(t, path); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v", got)
	}
}

func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j := journal.Open(path, 0)
	var wait sync.WaitGroup
	for n := range 50 {
		wait.Go(func() { add(t, j, n, n+1) })
	}
	wait.Wait()
	if got := numbers(t, path); len(got) != 50 {
		t.Errorf("%d of 50", len(got))
	}
}

func TestNoFolder(t *testing.T) {
	if err := journal.Open(filepath.Join(t.TempDir(), "none", "j"), 0).Append(record{}); err == nil {
		t.Error("written into a folder that does not exist")
	}
}
