package prompts

import (
	"encoding/json"
	"fmt"
)

// property is a field of a reply, with the JSON Schema of its value.
type property struct {
	name   string
	schema any
}

func words(name string) property { return property{name, map[string]any{"type": "string"}} }

func oneOf[T any](name string, values ...T) property {
	return property{name, map[string]any{"enum": values}}
}

// shape is the JSON Schema of a reply that is one object with these fields and no
// others, in what all endpoints know of JSON Schema. The fields stand in the order in
// which a model is asked for them.
func shape(properties ...property) json.RawMessage {
	fields, names := []byte{'{'}, make([]string, len(properties))
	for i, p := range properties {
		if names[i] = p.name; i > 0 {
			fields = append(fields, ',')
		}
		schema, err := json.Marshal(p.schema)
		if err != nil {
			panic(err) // of constants of this package
		}
		fields = append(fmt.Appendf(fields, "%q:", p.name), schema...)
	}
	required, err := json.Marshal(names)
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{"type":"object","additionalProperties":false,"required":%s,"properties":%s}`, required, append(fields, '}'))
}
