package milvus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"lexagent/index"
)

// keyBytes is how long a string is at most that rows are found or filtered by.
const keyBytes = 512

// key is a string as it is stored where rows are found or filtered by it: itself,
// or its hash when it is too long for a field.
func key(s string) string {
	if len(s) <= keyBytes {
		return s
	}
	h := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(h[:])
}

// expression is a filter in the language of Milvus, "" when all pass.
func expression(f index.Filter) string {
	var all []string
	in := func(field string, values []string) {
		if len(values) > 0 {
			all = append(all, inList(field, values))
		}
	}
	in(fieldCollection, f.Collections)
	in(fieldLaw, f.Laws)
	in(fieldRegion, f.Regions)
	var kinds []string
	for _, k := range f.Kinds {
		kinds = append(kinds, string(k))
	}
	in(fieldKind, kinds)
	if len(f.Levels) > 0 {
		numbers := make([]string, len(f.Levels))
		for i, l := range f.Levels {
			numbers[i] = strconv.Itoa(int(l))
		}
		all = append(all, fmt.Sprintf("%s in [%s]", fieldLevel, strings.Join(numbers, ",")))
	}
	if f.AsOf != 0 {
		all = append(all, fmt.Sprintf("(%s <= %d) && (%s == 0 || %s > %d)", fieldFrom, f.AsOf, fieldUntil, fieldUntil, f.AsOf))
	}
	return strings.Join(all, " && ")
}

// inList is the test that a field holds one of the values.
func inList(field string, values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(key(v))
	}
	return fmt.Sprintf("%s in [%s]", field, strings.Join(quoted, ","))
}

// escapes are the characters that end or bend a literal. Milvus reads C's escapes.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// quote makes a literal of the filter language.
func quote(s string) string { return `"` + escapes.Replace(s) + `"` }
