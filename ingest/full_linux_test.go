package ingest

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// A full disk is an error that says so; what was stored stays, and the same
// command goes on when there is space again.
func TestFullDisk(t *testing.T) {
	disk, src := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		if os.Getenv("LEXAGENT_TEST_REAL") != "" {
			t.Fatalf("a small disk can't be mounted: %v", err)
		}
		t.Skipf("only root can mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	writeLaws(t, src, 700)
	o := Options{Encoder: &bags{}}
	if _, err := Run(context.Background(), disk, []string{src}, o); !DiskFull(err) {
		t.Fatalf("on a full disk: %v", err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if r := ingest(t, disk, o, src); r.Book.Units != 2100 || r.Vectors.Done != r.Vectors.Total {
		t.Errorf("%+v", r)
	}
}
