package jsonl

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLinesCountFromOneAndSkipBlanks(t *testing.T) {
	var got []string
	numbers := []int{}
	err := Lines(strings.NewReader("\ufeffa\r\n\n  \n b \nc"), func(n int, text []byte) error {
		got, numbers = append(got, string(text)), append(numbers, n)
		return nil
	})
	if err != nil || !reflect.DeepEqual(got, []string{"a", "b", "c"}) || !reflect.DeepEqual(numbers, []int{1, 4, 5}) {
		t.Errorf("got %q at %v, %v", got, numbers, err)
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	stop := errors.New("stop")
	err := Lines(strings.NewReader("a\nb\n"), func(n int, _ []byte) error {
		if n == 2 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || err.Error() != "line 2: stop" {
		t.Errorf("got %v", err)
	}
}

// sample has the sorts of field that run and gold files have.
type sample struct {
	ID    string             `json:"id"`
	Score float64            `json:"score"`
	Grade int                `json:"grade"`
	Level *int8              `json:"level"`
	Spans [][2]int           `json:"spans"`
	Raw   json.RawMessage    `json:"raw"`
	Hits  []sample           `json:"hits"`
	Stage map[string]float64 `json:"stage"`
}

// The fast decoder must read a line as the standard library does. Only where
// there are escapes may it accept more.
func FuzzDecode(f *testing.F) {
	f.Add(`{"id":"民法典\u4e00\n","score":1.5e-3,"grade":2,"level":null,"spans":[[1,2],null],"raw":[{"a":1}],"hits":[{"id":"x"}],"stage":{"bm25":1}}`)
	f.Add(`{"ID":"\ud800","id":"a","Id":"b","score":-0}`)
	f.Add(`{"id":"a","score":1e999}`)
	f.Add(`{"id":"a","x":[[[[[[]]]]]],"hits":null} `)
	f.Add("{\"id\":\"a\tb\"}")
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.HasPrefix(line, "{") || !utf8.ValidString(line) {
			return // Lines and decode refuse these
		}
		var got, want sample
		err, wantErr := decode([]byte(line), &got), json.Unmarshal([]byte(line), &want)
		lax := wantErr != nil && strings.Contains(line, `\`)
		if (err == nil) != (wantErr == nil) && !lax {
			t.Fatalf("%q: %v; encoding/json says %v", line, err, wantErr)
		}
		if wantErr == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %+v; encoding/json has %+v", line, got, want)
		}
	})
}
