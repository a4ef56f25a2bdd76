package uploads_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lexagent/book"
	"lexagent/ingest"
	"lexagent/ingest/uploads"
)

// held are the texts of a collection's articles, in the order of the book.
func held(t *testing.T, dir, collection string) string {
	t.Helper()
	b, err := book.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var texts []string
	for _, l := range b.Laws([]string{collection}) {
		units, err := b.Units(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			texts = append(texts, u.Text)
		}
	}
	return strings.Join(texts, " ")
}

// named are the names of a collection's documents.
func named(t *testing.T, d *uploads.Desk, collection string) string {
	t.Helper()
	documents, err := d.Documents(collection)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, doc := range documents {
		if doc.Bytes == 0 || doc.At.IsZero() {
			t.Errorf("%+v", doc)
		}
		names = append(names, doc.Name)
	}
	return strings.Join(names, " ")
}

func removal(t *testing.T, d *uploads.Desk, collection, name string) uploads.Job {
	t.Helper()
	j, err := d.Remove(collection, name)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestARemovedDocumentIsGone(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, into(dir))
	stop := run(t, d)
	leave := strings.NewReplacer("考勤", "请假", "上班时间为九时", "请假应当提前一日").Replace(rules)
	over(t, d, add(t, d, "firm", uploads.File{Name: "考勤.md", Body: []byte(rules)}, uploads.File{Name: "请假.md", Body: []byte(leave)}).ID)
	over(t, d, add(t, d, "other", uploads.File{Name: "考勤.md", Body: []byte(rules)}).ID)
	if got := named(t, d, "firm"); got != "考勤.md 请假.md" {
		t.Errorf("brought: %s", got)
	}

	j := over(t, d, removal(t, d, "firm", "考勤.md").ID)
	if j.State != uploads.Done || !j.Removes || len(j.Report.Pruned) != 1 || j.Report.Pruned[0].Path != "考勤.md" || j.Report.Pruned[0].Units != 2 {
		t.Errorf("the removal ends with %+v, %+v", j, j.Report)
	}
	if got := held(t, dir, "firm"); strings.Contains(got, "九时") || !strings.Contains(got, "提前一日") {
		t.Errorf("the collection holds %s", got)
	}
	if got := held(t, dir, "other"); !strings.Contains(got, "九时") {
		t.Errorf("another collection with a document of this name holds %q", got)
	}
	if got := named(t, d, "firm") + ", " + named(t, d, "other"); got != "请假.md, 考勤.md" {
		t.Errorf("kept: %s", got)
	}
	for collection, name := range map[string]string{"firm": "考勤.md", "none": "请假.md", "other": "../firm/请假.md"} {
		if _, err := d.Remove(collection, name); !errors.Is(err, uploads.ErrNoDocument) {
			t.Errorf("%s of %s: %v", name, collection, err)
		}
	}
	if _, err := d.Remove(book.DefaultCollection, "考勤.md"); !errors.Is(err, uploads.ErrPublic) {
		t.Errorf("from public: %v", err)
	}

	// Where the data folder was moved, its documents can be removed all the same.
	stop()
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	report, err := uploads.Remove(moved, "firm", []string{"请假.md"}, func(o ingest.Options) (*ingest.Report, error) {
		return ingest.Run(context.Background(), moved, nil, o)
	})
	if err != nil || len(report.Pruned) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := held(t, moved, "firm"); got != "" {
		t.Errorf("the collection still holds %s", got)
	}
}

// A removal that was under way when the process ended is done by the next one. What
// was brought again meanwhile stays.
func TestRemovalsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, into(dir))
	stop := run(t, d)
	over(t, d, add(t, d, "firm", uploads.File{Name: "甲.md", Body: []byte(rules)}, uploads.File{Name: "乙.md", Body: []byte(strings.Replace(rules, "考勤", "请假", 1))}).ID)
	stop()

	begun := make(chan struct{}, 1)
	d = open(t, dir, func(ctx context.Context, _ []string, _ ingest.Options) (*ingest.Report, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	stop = run(t, d)
	first, second := removal(t, d, "firm", "甲.md"), removal(t, d, "firm", "乙.md")
	<-begun
	again := add(t, d, "firm", uploads.File{Name: "乙.md", Body: []byte(strings.Replace(rules, "三次", "五次", 1))})
	stop()

	d = open(t, dir, into(dir))
	run(t, d)
	for _, id := range []string{first.ID, second.ID, again.ID} {
		if j := over(t, d, id); j.State != uploads.Done {
			t.Errorf("%s ends with %+v", id, j)
		}
	}
	if got := named(t, d, "firm"); got != "乙.md" {
		t.Errorf("kept: %s", got)
	}
	if got := held(t, dir, "firm"); !strings.Contains(got, "五次") || strings.Contains(got, "三次") {
		t.Errorf("the collection holds %s", got)
	}
}
