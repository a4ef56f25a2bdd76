package model

import (
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
	if i := strings.LastIndexAny(text, "。！？\n"); i > 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		return strings.TrimSpace(text[:i+size])
	}
	return text
}
