package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"lexagent/evaluator/jsonl"
)

// records decodes every record of a JSON array, or of a file of records one after
// the other, into a fresh T and hands it to do. It stops at the first error, which
// names the line.
func records[T any](data []byte, do func(v *T) error) error {
	return each(data, func(line int, raw json.RawMessage) error {
		v := new(T)
		if err := decode(raw, v); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				line += bytes.Count(raw[:min(int(wrong.Offset), len(raw))], []byte("\n"))
			}
			return at(line, err)
		}
		if err := do(v); err != nil {
			return at(line, err)
		}
		return nil
	})
}

func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// decode decodes one record and says in one sentence what is wrong with it.
func decode[T any](raw []byte, v *T) error {
	err := json.Unmarshal(raw, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		name := wrong.Field
		if name == "" {
			return fmt.Errorf("%w: a JSON object is expected, not a %s", jsonl.ErrFormat, wrong.Value)
		}
		return &wrongField{fmt.Sprintf("%q can't be a %s", name, wrong.Value), wrong}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", jsonl.ErrFormat, err)
	}
	return nil
}

// wrongField is a field of the wrong type.
type wrongField struct {
	text  string
	wrong *json.UnmarshalTypeError
}

func (e *wrongField) Error() string   { return jsonl.ErrFormat.Error() + ": " + e.text }
func (e *wrongField) Unwrap() []error { return []error{jsonl.ErrFormat, e.wrong} }

// each calls do with every record and the line that it begins on.
func each(data []byte, do func(line int, raw json.RawMessage) error) error {
	data = withoutNaN(data)
	d := json.NewDecoder(bytes.NewReader(data))
	list := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("["))
	if list {
		if _, err := d.Token(); err != nil {
			return at(1, fmt.Errorf("%w: %w", jsonl.ErrFormat, err))
		}
	}
	line, seen := 1, 0
	for {
		start := int(d.InputOffset())
		start += len(data[start:]) - len(bytes.TrimLeft(data[start:], ", \t\r\n"))
		line += bytes.Count(data[seen:start], []byte("\n"))
		seen = start
		if list && !d.More() {
			break
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			if errors.Is(err, io.EOF) && !list {
				return nil
			}
			return at(line, fmt.Errorf("%w: %w", jsonl.ErrFormat, err))
		}
		if err := do(line, raw); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return at(line, fmt.Errorf("%w: the list has no end", jsonl.ErrFormat))
	}
	return nil
}

// firstFields returns the fields of the first record; none for an empty list.
func firstFields(data []byte) (map[string]json.RawMessage, error) {
	done := errors.New("enough")
	var fields map[string]json.RawMessage
	err := each(data, func(line int, raw json.RawMessage) error {
		if err := decode(raw, &fields); err != nil {
			return at(line, err)
		}
		return done
	})
	if errors.Is(err, done) {
		err = nil
	}
	return fields, err
}

// withoutNaN writes null for the NaN that Python's json leaves where a cell of a
// table was empty. Strings stay as they are.
func withoutNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	quoted := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\' && i+1 < len(data):
			out = append(out, c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && bytes.HasPrefix(data[i:], []byte("NaN")):
			out = append(out, "null"...)
			i += len("NaN") - 1
			continue
		}
		out = append(out, data[i])
	}
	return out
}
