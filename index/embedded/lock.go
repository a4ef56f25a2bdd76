package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrBuilding is returned by Lock while another process changes the generations.
var ErrBuilding = errors.New("another process is changing the index; run this again when it is done")

const (
	lockFile = "LOCK"
	lockLook = 100 * time.Millisecond
)

// Lock takes the right to build, activate and prune under root; closing it gives it
// back, as does the end of the process. With wait it waits for its turn until ctx
// ends, else it fails with ErrBuilding when the lock is taken. Searches and writers
// of vectors don't need it.
func Lock(ctx context.Context, root string, wait bool) (io.Closer, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(root, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errors.Join(fmt.Errorf("lock the index: %w", err), f.Close())
		case !wait:
			return nil, errors.Join(ErrBuilding, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockLook):
		}
	}
}

// written reports whether a writer has the vectors of a generation open.
func written(folder string) bool {
	f, err := os.OpenFile(filepath.Join(folder, vectorsFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
