package uploads_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/ingest"
	"lexagent/ingest/uploads"
)

const rules = "# 考勤办法\n\n2024年3月1日公司公布\n\n第一条 上班时间为九时。\n\n第二条 迟到三次记旷工一日。\n"

// into ingests into a data folder, by words alone.
func into(dir string) uploads.Ingest {
	return func(ctx context.Context, paths []string, o ingest.Options) (*ingest.Report, error) {
		return ingest.Run(ctx, dir, paths, o)
	}
}

func open(t *testing.T, dir string, in uploads.Ingest) *uploads.Desk {
	t.Helper()
	d, err := uploads.Open(uploads.Options{Dir: dir, Ingest: in, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// run works in the background until the returned function is called.
func run(t *testing.T, d *uploads.Desk) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); d.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func add(t *testing.T, d *uploads.Desk, collection string, files ...uploads.File) uploads.Job {
	t.Helper()
	j, err := d.Add(context.Background(), collection, files)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// over waits for the end of a job.
func over(t *testing.T, d *uploads.Desk, id string) uploads.Job {
	t.Helper()
	for range 500 {
		j, err := d.Job(id)
		if err != nil {
			t.Fatal(err)
		}
		if j.State == uploads.Done || j.State == uploads.Failed {
			return j
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the job does not end")
	return uploads.Job{}
}

func TestUploadIsInItsCollection(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, into(dir))
	run(t, d)
	j := over(t, d, add(t, d, "firm", uploads.File{Name: "考勤办法.md", Body: []byte(rules)}).ID)
	if j.State != uploads.Done || j.Report.Articles != 2 || j.Report.Sources[0].Path != "考勤办法.md" || j.Started == nil || j.Finished == nil || j.Attempts != 1 {
		t.Fatalf("the job ends with %+v, %+v", j, j.Report)
	}
	b, err := book.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if n, public := len(b.Laws([]string{"firm"})), len(b.Laws([]string{"public"})); n != 1 || public != 0 {
		t.Errorf("firm has %d laws, public %d", n, public)
	}

	// The same name again takes the place of what it brought.
	j = over(t, d, add(t, d, "firm", uploads.File{Name: "考勤办法.md", Body: []byte(strings.Replace(rules, "三次", "五次", 1))}).ID)
	if j.Report.Replaced != 1 || j.Report.Same != 1 {
		t.Errorf("a corrected file brings %+v", j.Report)
	}
}

func TestFilesThatAreNotTaken(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, into(dir))
	for _, tt := range []struct {
		name, body string
		kind       uploads.FileProblem
		reason     string
	}{
		{"../../etc/办法.md", rules, uploads.BadName, "path"},
		{`..\办法.md`, rules, uploads.BadName, "path"},
		{"/etc/办法.md", rules, uploads.BadName, "path"},
		{".办法.md", rules, uploads.BadName, "dot"},
		{"", rules, uploads.BadName, "empty"},
		{"a\x00.md", rules, uploads.BadName, "control"},
		{"a\nb.md", rules, uploads.BadName, "control"},
		{"\xff.md", rules, uploads.BadName, "UTF-8"},
		{strings.Repeat("长", 70) + ".md", rules, uploads.BadName, "longer"},
		{"法.exe", rules, uploads.BadType, "not taken"},
		{"法.db", rules, uploads.BadType, "not taken"},
		{"法.jsonl.gz", rules, uploads.BadType, "not taken"},
		{"法.pdf", rules, uploads.Unreadable, "PDF"},
		{"法.docx", "PK\x03\x04 broken", uploads.Unreadable, ""},
		{"法.md", "", uploads.Unreadable, "empty"},
		{"法.jsonl", `{"a":1}`, uploads.Unreadable, "not units of laws"},
	} {
		_, err := d.Add(context.Background(), "firm", []uploads.File{{Name: "好.md", Body: []byte(rules)}, {Name: tt.name, Body: []byte(tt.body)}})
		var f *uploads.FileError
		if !errors.As(err, &f) || f.Kind != tt.kind || !strings.Contains(f.Reason, tt.reason) || strings.Contains(f.Error(), dir) {
			t.Errorf("%q: %v", tt.name, err)
		}
	}
	_, err := d.Add(context.Background(), book.DefaultCollection, []uploads.File{{Name: "法.md", Body: []byte(rules)}})
	if !errors.Is(err, uploads.ErrPublic) {
		t.Errorf("public takes uploads: %v", err)
	}
	if _, err := d.Add(context.Background(), "../x", nil); err == nil {
		t.Error("a path is a collection")
	}
	// All are refused or none, and nothing is left.
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What was under way when a process ended is done by the next one, and jobs that are
// over are remembered.
func TestJobsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	begun := make(chan struct{})
	d := open(t, dir, func(ctx context.Context, _ []string, o ingest.Options) (*ingest.Report, error) {
		o.Progress(ingest.Progress{Stage: "read", Files: 0, All: 1})
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	stop := run(t, d)
	first := add(t, d, "firm", uploads.File{Name: "甲.md", Body: []byte(rules)})
	second := add(t, d, "firm", uploads.File{Name: "乙.md", Body: []byte(strings.Replace(rules, "考勤", "请假", 1))})
	<-begun
	if j, err := d.Job(first.ID); err != nil || j.State != uploads.Running || j.Progress == nil || j.Progress.Total != 1 {
		t.Errorf("under way: %+v %v", j, err)
	}
	if j, err := d.Job(second.ID); err != nil || j.State != uploads.Queued {
		t.Errorf("waiting: %+v %v", j, err)
	}
	stop()

	d = open(t, dir, into(dir))
	if j, err := d.Job(first.ID); err != nil || j.State != uploads.Queued {
		t.Errorf("after the restart: %+v %v", j, err)
	}
	stop = run(t, d)
	for _, id := range []string{first.ID, second.ID} {
		if j := over(t, d, id); j.State != uploads.Done || j.Report.Articles != 2 {
			t.Errorf("%s ends with %+v", id, j)
		}
	}
	stop()
	d = open(t, dir, into(dir))
	if j, err := d.Job(first.ID); err != nil || j.State != uploads.Done || j.Report.Articles != 2 {
		t.Errorf("remembered: %+v %v", j, err)
	}
	if _, err := d.Job("job-none"); !errors.Is(err, uploads.ErrNotFound) {
		t.Errorf("a job that never was: %v", err)
	}
}

// Files that end the process each time they are read are given up.
func TestAJobThatKills(t *testing.T) {
	dir := t.TempDir()
	id := add(t, open(t, dir, into(dir)), "firm", uploads.File{Name: "甲.md", Body: []byte(rules)}).ID
	record := filepath.Join(dir, "uploads", ".jobs", id+".json")
	b, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.NewReplacer(`"state":"queued"`, `"state":"running"`, `"attempts":0`, `"attempts":3`).Replace(string(b)))
	if err := os.WriteFile(record, b, 0o600); err != nil {
		t.Fatal(err)
	}
	d := open(t, dir, func(context.Context, []string, ingest.Options) (*ingest.Report, error) {
		t.Error("it is tried again")
		return nil, nil
	})
	run(t, d)
	if j := over(t, d, id); j.State != uploads.Failed {
		t.Errorf("it ends with %+v", j)
	}
}

func TestQueueIsBounded(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, into(dir)) // nobody works
	for i := range 100 {
		_, err := d.Add(context.Background(), "firm", []uploads.File{{Name: "甲.md", Body: []byte(rules)}})
		if errors.Is(err, uploads.ErrFull) {
			if i < 8 {
				t.Errorf("full after %d", i)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Error("never full")
}

// Another process that writes to the data folder delays a job and does not fail it.
func TestJobWaitsForTheWriter(t *testing.T) {
	dir := t.TempDir()
	other, err := book.Create(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, dir, into(dir))
	run(t, d)
	id := add(t, d, "firm", uploads.File{Name: "甲.md", Body: []byte(rules)}).ID
	time.Sleep(100 * time.Millisecond)
	if j, err := d.Job(id); err != nil || j.State != uploads.Running {
		t.Errorf("while another writes: %+v %v", j, err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if j := over(t, d, id); j.State != uploads.Done {
		t.Errorf("it ends with %+v", j)
	}
}
