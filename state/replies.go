package state

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Reply is what a language model answered to a prompt. Its JSON is the line format
// of a file of replies.
type Reply struct {
	Key              string `json:"key"`    // digest of the whole prompt
	Prompt           string `json:"prompt"` // name of the prompt's wording, such as irac.v1
	Model            string `json:"model"`
	Text             string `json:"reply"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
}

// id tells replies apart: other models reply differently to the same prompt.
func (r *Reply) id() string { return r.Model + "\x00" + r.Key }

func (r *Reply) check() error {
	if r.Key == "" || r.Prompt == "" || r.Model == "" {
		return errors.New("a reply needs key, prompt and model")
	}
	return nil
}

// Replies is a file of replies, JSON lines that are only ever appended to. It is
// safe for concurrent use; processes may share the file, and then each sees what was
// there when it opened it.
type Replies struct {
	path string
	mu   sync.Mutex
	all  map[string]Reply
	open bool // the file's last line is not finished: its writer was killed
}

// maxReplyLine is far above any reply.
const maxReplyLine = 1 << 20

// OpenReplies reads a file of replies. One that does not exist is empty, and is made
// with the first reply. A line that a killed process left unfinished is passed over.
func OpenReplies(path string) (*Replies, error) {
	c := &Replies{path: path, all: map[string]Reply{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the replies of the language model: %w", err)
	}
	for start := 0; start < len(raw); {
		end := start
		for end < len(raw) && raw[end] != '\n' {
			end++
		}
		var r Reply
		if json.Unmarshal(raw[start:end], &r) == nil && r.check() == nil {
			c.all[r.id()] = r
		}
		start = end + 1
	}
	c.open = len(raw) > 0 && raw[len(raw)-1] != '\n'
	return c, nil
}

// Get returns a model's reply to the prompt with this key.
func (c *Replies) Get(model, key string) (Reply, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.all[(&Reply{Model: model, Key: key}).id()]
	return r, ok
}

// Put keeps a reply; one that is there already stays.
func (c *Replies) Put(r Reply) error {
	_, err := c.put([]Reply{r})
	return err
}

// put appends those that are new.
func (c *Replies) put(rs []Reply) (added int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []byte
	if c.open {
		lines = append(lines, '\n')
	}
	fresh := map[string]Reply{}
	for _, r := range rs {
		if err := r.check(); err != nil {
			return 0, err
		}
		_, known := c.all[r.id()]
		if _, twice := fresh[r.id()]; known || twice {
			continue
		}
		line, err := json.Marshal(r)
		if err != nil {
			return 0, err
		}
		lines = append(append(lines, line...), '\n')
		fresh[r.id()] = r
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	if err := appendTo(c.path, lines); err != nil {
		return 0, fmt.Errorf("keep the replies of the language model: %w", err)
	}
	maps.Copy(c.all, fresh)
	c.open = false
	return len(fresh), nil
}

func appendTo(path string, b []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) // questions can be guessed from replies
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(b)
	return err
}

// Models lists the models whose replies are there.
func (c *Replies) Models() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]bool{}
	for _, r := range c.all {
		seen[r.Model] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Export writes all replies as JSON lines, ordered by prompt, model and key, so that
// two files of the same replies are the same.
func (c *Replies) Export(w io.Writer) (n int, err error) {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.all))
	c.mu.Unlock()
	slices.SortFunc(all, func(a, b Reply) int {
		return cmp.Or(cmp.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Key, b.Key))
	})
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range all {
		if err := e.Encode(r); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

// Import takes in what Export wrote, all of it or, where a line is not one of its
// lines, nothing. It returns how many replies were new.
func (c *Replies) Import(r io.Reader) (added, lines int, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxReplyLine)
	var all []Reply
	for s.Scan() {
		lines++
		var one Reply
		if err := json.Unmarshal(s.Bytes(), &one); err != nil {
			return 0, lines, fmt.Errorf("line %d is not a reply of a language model: %w", lines, err)
		}
		if err := one.check(); err != nil {
			return 0, lines, fmt.Errorf("line %d: %w", lines, err)
		}
		all = append(all, one)
	}
	if err := s.Err(); err != nil {
		return 0, lines, fmt.Errorf("line %d: %w", lines+1, err)
	}
	added, err = c.put(all)
	return added, lines, err
}
