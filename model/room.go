package model

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/eino/schema"
)

// OutOfRoom reports whether a reply ends where its tokens did.
func OutOfRoom(msg *schema.Message) bool {
	return msg.ResponseMeta != nil && msg.ResponseMeta.FinishReason == "length"
}

// WholeSentences is a text that was cut off, without its last sentence, which is none;
// the text itself where no sentence of it is whole.
func WholeSentences(text string) string {
	i := strings.LastIndexAny(text, "。！？\n")
	if i <= 0 {
		return text
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	end := i + size
	return strings.TrimSpace(text[:end+len(citations.FindString(text[end:]))])
}

// citations finds those that stand behind the full stop of their sentence.
var citations = regexp.MustCompile(`^\s*(?:\[[^\[\]]*\]|（《[^（）]*）)+`)
