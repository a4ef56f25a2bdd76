package state

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func reply(model, key, text string) Reply {
	return Reply{Key: key, Prompt: "irac.v1", Model: model, Text: text, PromptTokens: 3, CompletionTokens: 2}
}

func openReplies(t *testing.T, path string) *Replies {
	t.Helper()
	c, err := OpenReplies(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRepliesOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "replies.jsonl")
	c := openReplies(t, path)
	if _, ok := c.Get("m", "k"); ok {
		t.Error("an empty file has a reply")
	}
	for _, r := range []Reply{reply("m", "k", "一"), reply("n", "k", "二"), reply("m", "k", "三")} {
		if err := c.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	c = openReplies(t, path)
	for model, want := range map[string]string{"m": "一", "n": "二"} {
		if r, ok := c.Get(model, "k"); !ok || r != reply(model, "k", want) {
			t.Errorf("%s: %+v, %v", model, r, ok)
		}
	}
	if got := strings.Join(c.Models(), " "); got != "m n" {
		t.Errorf("models %s", got)
	}
}

// A process that was killed costs the reply it was writing, and no other.
func TestAnUnfinishedLineIsPassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.jsonl")
	if err := openReplies(t, path).Put(reply("m", "a", "一")); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(raw, raw[:20]...), 0o600)
	}
	if err == nil {
		err = openReplies(t, path).Put(reply("m", "b", "二"))
	}
	if err != nil {
		t.Fatal(err)
	}
	c := openReplies(t, path)
	for _, key := range []string{"a", "b"} {
		if _, ok := c.Get("m", key); !ok {
			t.Errorf("%s is lost", key)
		}
	}
}

func TestExportAndImport(t *testing.T) {
	a := openReplies(t, filepath.Join(t.TempDir(), "a.jsonl"))
	var wait sync.WaitGroup
	for _, key := range []string{"c", "a", "b"} {
		wait.Go(func() {
			if err := a.Put(reply("m", key, "<"+key+">")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	var first, second bytes.Buffer
	if n, err := a.Export(&first); err != nil || n != 3 {
		t.Fatal(n, err)
	}
	b := openReplies(t, filepath.Join(t.TempDir(), "b.jsonl"))
	if err := b.Put(reply("m", "a", "<a>")); err != nil {
		t.Fatal(err)
	}
	if added, lines, err := b.Import(bytes.NewReader(first.Bytes())); err != nil || added != 2 || lines != 3 {
		t.Errorf("%d of %d, %v", added, lines, err)
	}
	if _, err := b.Export(&second); err != nil || first.String() != second.String() {
		t.Errorf("%v\n%s\n%s", err, &first, &second)
	}
	for _, bad := range []string{"x", "{}", `{"key":"k","prompt":"p","reply":"r"}`, first.String() + `{"key":`, strings.Repeat("x", maxReplyLine+1)} {
		if added, _, err := b.Import(strings.NewReader(bad)); err == nil || added != 0 || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%.30q: %d, %v", bad, added, err)
		}
	}
}
