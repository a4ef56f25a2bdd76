package answers

import (
	"regexp"
	"strings"
)

// The words of a verdict. Of two that begin alike the longer one stands first.
const (
	yesWords = `正确|对的?|是的?|真|成立|属实|[Yy]es|YES|[Tt]rue|TRUE|Y`
	noWords  = `不正确|不对|不是|不成立|不属实|错误|错的?|否|假|[Nn]o|NO|False|false|FALSE|N`
	// What a verdict is spoken of.
	subject = `(?:该|此|这一|这个|上述|以上|本题的?|题干的?|题述)?(?:说法|表述|陈述|命题|判断|观点|做法|描述|statement)(?:是|为|\s+is)?\s*`
	// What ends a verdict; 是否 and 对于 are none.
	ending = `(?:$|[\s，。；、！：:,.;!）)”"】的])`
)

var (
	// An answer that begins with its verdict: 正确。…, 该说法错误，…, Yes, ….
	opening = regexp.MustCompile(`^(?:` + subject + `)?(?:(` + noWords + `)|(` + yesWords + `))` + ending)
	// A verdict that is announced anywhere: 答案：正确, 结论：该说法不正确, Answer: N.
	announced = regexp.MustCompile(`(?:答案|结论|判断|回答|[Aa]nswer|[Cc]onclusion)(?:是|为|\s+is)?\s*[：:]?\s*(?:` + subject + `)?(?:(` + noWords + `)|(` + yesWords + `))` + ending)
	// A sentence that says of the statement whether it's true: 因此，该说法错误。
	stated = regexp.MustCompile(subject + `(?:(` + noWords + `)|(` + yesWords + `))` + ending)

	// Besides Markdown, the marks of the prompt, which small models repeat: <说法>正确。
	decoration = strings.NewReplacer("*", "", "#", "", "`", "", "“", "", "【", "", "】", "", "<说法>", "说法", "</说法>", "\n")
)

// Verdict reads whether an answer says that a statement is true. It looks at how
// the answer begins, at verdicts that are announced (答案：正确), and at sentences
// about the statement (该说法错误). Where these contradict each other, or there are
// none, ok is false: nothing is guessed from the rest of the text.
func Verdict(text string) (verdict, ok bool) {
	text = strings.TrimSpace(decoration.Replace(text))
	yes, no := false, false
	note := func(m []string) {
		if m != nil {
			yes, no = yes || m[2] != "", no || m[1] != ""
		}
	}
	note(opening.FindStringSubmatch(text))
	for _, re := range []*regexp.Regexp{announced, stated} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			note(m)
		}
	}
	return yes, yes != no
}
