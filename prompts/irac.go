package prompts

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The two prompts of IRAC-Exp (LexPath § 3.2).
var (
	irac     = newStage("irac.v1", 800).replies(shape(words("issue"), words("rule"), words("application"), words("conclusion")))
	keywords = newStage("keywords.v1", 200)
)

// Analysis is an IRAC analysis of a question. It is made to find words by, and is
// shown to nobody as an answer.
type Analysis struct {
	Issue       string `json:"issue"`
	Rule        string `json:"rule"`
	Application string `json:"application"`
	Conclusion  string `json:"conclusion"`
}

// Bounds of replies, in characters and keywords: about twice of what is asked for.
const (
	maxAnalysisRunes = 400 // of each part
	maxKeywords      = 24
	maxKeywordRunes  = 24
)

// IRAC renders the prompt that asks for an analysis of a question.
func IRAC(text string) (Prompt, error) { return irac.render(question(text)) }

// ParseIRAC reads the reply to IRAC. All four parts must be there.
func ParseIRAC(reply string) (Analysis, error) {
	var a Analysis
	if err := object(reply, &a); err != nil {
		return Analysis{}, err
	}
	for _, part := range []struct {
		name string
		text *string
	}{{"issue", &a.Issue}, {"rule", &a.Rule}, {"application", &a.Application}, {"conclusion", &a.Conclusion}} {
		text, err := chinese(" "+part.name, *part.text, maxAnalysisRunes)
		if err != nil {
			return Analysis{}, err
		}
		*part.text = text
	}
	return a, nil
}

// Keywords renders the prompt that asks for the legal keywords of an analysis.
func Keywords(text string, a Analysis) (Prompt, error) {
	return keywords.render(struct {
		Question string
		Analysis Analysis
	}{question(text), Analysis{inert(a.Issue), inert(a.Rule), inert(a.Application), inert(a.Conclusion)}})
}

// ParseKeywords reads the reply to Keywords: one line, 关键词：甲、乙、丙. A keyword that
// is named twice is kept once.
func ParseKeywords(reply string) ([]string, error) {
	line := unfence(reply)
	rest, ok := strings.CutPrefix(line, "关键词")
	if !ok || strings.Contains(line, "\n") {
		return nil, fmt.Errorf("%w: 不是一行“关键词：甲、乙、丙”", ErrReply)
	}
	rest, ok = strings.CutPrefix(rest, "：")
	if !ok {
		rest, ok = strings.CutPrefix(rest, ":")
	}
	if !ok {
		return nil, fmt.Errorf("%w: “关键词”之后没有冒号", ErrReply)
	}
	var out []string
	for _, w := range strings.FieldsFunc(strings.TrimRight(rest, "。. "), func(r rune) bool { return strings.ContainsRune("、，,；;", r) }) {
		if w = strings.TrimSpace(w); w == "" || slices.Contains(out, w) {
			continue
		}
		if n := utf8.RuneCountInString(w); n > maxKeywordRunes {
			return nil, fmt.Errorf("%w: 关键词有 %d 字，最多 %d 字", ErrReply, n, maxKeywordRunes)
		}
		out = append(out, w)
	}
	if len(out) == 0 || len(out) > maxKeywords {
		return nil, fmt.Errorf("%w: 有 %d 个关键词，应为 1 到 %d 个", ErrReply, len(out), maxKeywords)
	}
	if !mostlyHan(strings.Join(out, "")) {
		return nil, fmt.Errorf("%w: 关键词不是中文", ErrReply)
	}
	return out, nil
}
