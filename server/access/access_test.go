package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lexagent/server/access"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func desk() access.Key {
	return access.Key{Name: "desk", Scopes: []access.Scope{access.Ask}, Collections: []string{"public", "firm"}}
}

func add(t *testing.T, path string, k access.Key) (access.Key, string) {
	t.Helper()
	k, secret, err := access.New(k, noon)
	if err == nil {
		err = access.Add(path, k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k, secret
}

// A server follows the file: keys that are made or revoked count a second later.
func TestLifeOfAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), access.FileName)
	now := noon
	var clock sync.Mutex
	keys, err := access.Open(path, func() time.Time { clock.Lock(); defer clock.Unlock(); return now })
	if err != nil {
		t.Fatal(err)
	}
	later := func(d time.Duration) { clock.Lock(); now = now.Add(d); clock.Unlock() }
	if keys.Any() {
		t.Error("there are keys before one is made")
	}
	k, secret := add(t, path, desk())
	later(2 * time.Second)
	if !keys.Any() || keys.Find(secret) == nil || keys.Find(secret).ID != k.ID || keys.Find(secret+"x") != nil || keys.Find("") != nil {
		t.Error("the new key is not known, or others are")
	}
	soon := noon.Add(time.Hour)
	expiring := desk()
	expiring.Expires = &soon
	_, short := add(t, path, expiring)
	later(2 * time.Second)
	if keys.Find(short) == nil {
		t.Error("the key that expires in an hour is not known")
	}
	later(time.Hour)
	if keys.Find(short) != nil {
		t.Error("an expired key opens")
	}
	if err := access.Revoke(path, k.ID, noon); err != nil {
		t.Fatal(err)
	}
	later(2 * time.Second)
	if keys.Find(secret) != nil || !keys.Any() {
		t.Error("a revoked key opens, or the last key that went leaves the door open")
	}
	if err := access.Revoke(path, "k0", noon); !errors.Is(err, access.ErrNoKey) {
		t.Error(err)
	}
	// A file that is broken or gone opens nothing to anyone.
	_, secret = add(t, path, desk())
	later(2 * time.Second)
	if keys.Find(secret) == nil {
		t.Error("a key made beside a revoked one is not known")
	}
	for _, spoil := range []func() error{func() error { return os.WriteFile(path, []byte("{"), 0o600) }, func() error { return os.Remove(path) }} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		later(2 * time.Second)
		if !keys.Any() || keys.Find(secret) == nil {
			t.Error("a spoilt file changes who is let in")
		}
	}
}

func TestFileHoldsNoSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), access.FileName)
	_, secret := add(t, path, desk())
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), strings.TrimPrefix(secret, "lexagent-")) {
		t.Errorf("%v, %s", err, b)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestOneEditAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), access.FileName)
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k, _, err := access.New(desk(), noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := access.Add(path, k); err == nil || !strings.Contains(err.Error(), "remove") {
		t.Errorf("%v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*access.Key){
		"no name": func(k *access.Key) { k.Name = " " }, "no scope": func(k *access.Key) { k.Scopes = nil },
		"strange scope":  func(k *access.Key) { k.Scopes = []access.Scope{"root"} },
		"no collections": func(k *access.Key) { k.Collections = nil },
		"all and one":    func(k *access.Key) { k.Collections = []string{"*", "public"} },
	} {
		k := desk()
		spoil(&k)
		if _, _, err := access.New(k, noon); err == nil {
			t.Errorf("%s: a key was made", name)
		}
	}
}

func TestWhatAKeyMay(t *testing.T) {
	k := desk()
	if !k.May(access.Ask) || k.May(access.Search) || k.May(access.Admin) || !k.Sees("firm") || k.Sees("other") {
		t.Errorf("%+v", k)
	}
	k.Scopes, k.Collections = []access.Scope{access.Admin}, []string{access.AllCollections}
	if !k.May(access.Ingest) || !k.Sees("other") {
		t.Errorf("%+v", k)
	}
}
