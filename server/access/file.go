package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// FileName is the name of the file of keys in a data folder.
const FileName = "keys.json"

// ErrNoKey is returned for a key that is not in the file.
var ErrNoKey = errors.New("there is no such key")

// keyFile is the file's form.
type keyFile struct {
	Keys []Key `json:"keys"`
}

// Read returns the keys of a file; one that does not exist has none.
func Read(path string) ([]Key, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the API keys: %w", err)
	}
	var f keyFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%s is not a file of API keys: %w", path, err)
	}
	return f.Keys, nil
}

// Add adds a key to a file, which it makes where there is none.
func Add(path string, k Key) error {
	return edit(path, func(keys []Key) ([]Key, error) { return append(keys, k), nil })
}

// Revoke ends a key, named by its id, for good.
func Revoke(path, id string, now time.Time) error {
	return edit(path, func(keys []Key) ([]Key, error) {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("%w: %s", ErrNoKey, id)
		}
		if keys[i].Revoked == nil {
			now = now.UTC().Truncate(time.Second)
			keys[i].Revoked = &now
		}
		return keys, nil
	})
}

// edit replaces the file in one step, so that a server never reads half of it, and
// one edit at a time.
func edit(path string, change func([]Key) ([]Key, error)) (err error) {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("another command is changing the API keys; where none is, remove %s.lock", path)
	}
	if err != nil {
		return fmt.Errorf("change the API keys: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close(), os.Remove(lock.Name())) }()
	keys, err := Read(path)
	if err != nil {
		return err
	}
	if keys, err = change(keys); err != nil {
		return err
	}
	b, err := json.MarshalIndent(keyFile{keys}, "", "  ")
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), FileName+".*")
	if err != nil {
		return fmt.Errorf("change the API keys: %w", err)
	}
	_, err = temporary.Write(append(b, '\n'))
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("change the API keys: %w", err), os.Remove(temporary.Name()))
	}
	return nil
}

// lookEvery is how often Keys looks whether its file has changed.
const lookEvery = time.Second

// Keys are the keys of a file, which it follows while the process runs. It is safe
// for concurrent use.
type Keys struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	looked time.Time
	seen   fs.FileInfo // of the file as it was read, nil when it is not there
	byHash map[string]*Key
}

// Open reads a file of keys; now nil is the clock.
func Open(path string, now func() time.Time) (*Keys, error) {
	if now == nil {
		now = time.Now
	}
	k := &Keys{path: path, now: now}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k, k.read()
}

// read reads the file. k.mu is held.
func (k *Keys) read() error {
	info, err := os.Stat(k.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the API keys: %w", err)
	}
	keys, err := Read(k.path)
	if err != nil {
		return err
	}
	k.seen, k.looked, k.byHash = info, k.now(), map[string]*Key{}
	for i := range keys {
		k.byHash[keys[i].Hash] = &keys[i]
	}
	return nil
}

// follow reads the file again where it has changed. A file that is gone or can't be
// read changes nothing: whom it let in stays, and so do the locks.
func (k *Keys) follow() {
	if k.now().Sub(k.looked) < lookEvery {
		return
	}
	k.looked = k.now()
	info, err := os.Stat(k.path)
	if err != nil || k.seen != nil && os.SameFile(info, k.seen) && info.ModTime().Equal(k.seen.ModTime()) && info.Size() == k.seen.Size() {
		return
	}
	_ = k.read() // a file in the making is read at the next look
}

// Any reports whether keys are configured, also where none of them is active.
func (k *Keys) Any() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.follow()
	return len(k.byHash) > 0
}

// Find returns the active key of a secret, or nil.
func (k *Keys) Find(secret string) *Key {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.follow()
	// Digests of 128 random bits: how long the look-up takes tells nothing about them.
	key := k.byHash[digest(secret)]
	if key == nil || !key.Active(k.now()) {
		return nil
	}
	return key
}
