package graph

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	llm "lexagent/model"
	"lexagent/prompts"
)

// Bounds of what of a conversation a search takes in.
const (
	followTurns = 4   // questions of a chain that build on one another
	baseRunes   = 80  // of one earlier question
	chainRunes  = 240 // of all of them
)

// Standing is how a question stands to the conversation before it.
type Standing string

// The standings.
const (
	Alone    Standing = "alone"    // it says all, or begins another topic: nothing is inherited
	BuildsOn Standing = "builds"   // 那如果是试用期呢？
	More     Standing = "more"     // 还有别的吗
	Corrects Standing = "corrects" // 不是三年，是一年
	Unclear  Standing = "unclear"  // 这样合法吗, and nobody said what
)

// FollowUp is a question, seen in its conversation.
type FollowUp struct {
	Standing Standing
	Query    string // what to search for
	Ask      string // what is said instead of a search, where nothing can be looked for; "" = nothing
}

// What is said where there is nothing to search for.
const (
	AskBack = "您指的是哪件事？请补充事情的经过，或者涉及的法律、合同、时间，我再依据法条回答。" // the question points to what nobody has said; asked once a conversation
	GoAhead = "好的，请说您要问的法律问题。"                           // a greeting, thanks, or 换个话题, and nothing else
)

// Asker asks a language model; *model.Asker is one.
type Asker interface {
	Ask(ctx context.Context, p prompts.Prompt, accept func(reply string) error) (llm.Usage, error)
}

// Conversation makes questions stand alone.
type Conversation struct {
	LLM Asker // rewrites what builds on earlier turns; nil: they are put together
}

// Follow sees a question in its conversation. The only error is the context's: where
// the language model fails, questions are put together.
func (c Conversation) Follow(ctx context.Context, question string, history []Turn) (FollowUp, llm.Usage, error) {
	f := Follow(question, history)
	if c.LLM == nil || f.Standing == Alone || f.Standing == Unclear {
		return f, llm.Usage{}, nil
	}
	var turns []prompts.DraftTurn
	for _, t := range history {
		speaker := "用户"
		if t.Role == "assistant" {
			speaker = "助手"
		}
		turns = append(turns, prompts.DraftTurn{Speaker: speaker, Text: t.Text})
	}
	p, err := prompts.Standalone(question, turns)
	if err != nil {
		return f, llm.Usage{}, err
	}
	within, cancel := share(ctx, rewriteShare)
	defer cancel()
	used, err := c.LLM.Ask(within, p, func(reply string) error {
		text, err := prompts.ParseRewrite(reply)
		if err == nil {
			f.Query = text
		}
		return err
	})
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return f, used, ctx.Err()
	}
	return f, used, nil
}

// rewriteShare is the part of an answer's time in which a question is made to stand alone:
// a language model that hangs there leaves the rest time to answer without it.
const rewriteShare = .2

// share is a context that ends when a share of what is left of ctx's time is over.
func share(ctx context.Context, of float64) (context.Context, context.CancelFunc) {
	ends, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(of*float64(time.Until(ends))))
}

// Follow sees a question in its conversation, by its words alone.
func Follow(question string, history []Turn) FollowUp {
	q := withoutGreeting(question)
	rest := strings.TrimSpace(newTopic.ReplaceAllString(q, ""))
	if content(rest) == 0 && (rest != q || q == "") && !strings.ContainsAny(rest, "？?") {
		return FollowUp{Standing: Unclear, Query: question, Ask: GoAhead}
	}
	if rest != q {
		return FollowUp{Standing: Alone, Query: rest}
	}
	before, asked := earlier(history)
	base := chain(before)
	article := thatLaw.ReplaceAllString(q, "$1$2")
	switch {
	case named.MatchString(article):
		return FollowUp{Standing: Alone, Query: q}
	case base == "":
		if !asked && silent(q) {
			return FollowUp{Standing: Unclear, Query: q, Ask: AskBack}
		}
		return FollowUp{Standing: Alone, Query: q}
	case asked: // it answers what was asked back
		return FollowUp{Standing: BuildsOn, Query: base + "\n" + q}
	case numbered.MatchString(article):
		if title := lastTitle(history); title != "" {
			return FollowUp{Standing: BuildsOn, Query: numbered.ReplaceAllStringFunc(article, func(s string) string { return title + s })}
		}
	case wantMore.MatchString(q):
		return FollowUp{Standing: More, Query: base}
	case isCorrection(q):
		return FollowUp{Standing: Corrects, Query: corrected(base, q)}
	}
	if dependent(q) {
		return FollowUp{Standing: BuildsOn, Query: base + "\n" + q}
	}
	return FollowUp{Standing: Alone, Query: q}
}

// earlier returns the user's questions, oldest first, and whether the last turn asked
// back. What was asked back is no answer, so the question before it still stands.
func earlier(history []Turn) (questions []string, asked bool) {
	for i, t := range history {
		if t.Role == "user" {
			questions = append(questions, t.Text)
		} else if i == len(history)-1 {
			asked = strings.Contains(t.Text, AskBack)
		}
	}
	return questions, asked
}

// chain is what the latest questions are about: back to the one that stands alone.
func chain(questions []string) string {
	var parts []string
	for _, q := range slices.Backward(questions[max(0, len(questions)-followTurns):]) {
		q = withoutGreeting(q)
		topic := strings.TrimSpace(newTopic.ReplaceAllString(q, ""))
		if topic == "" && q != "" { // 换个话题, and nothing else
			break
		}
		switch {
		case wantMore.MatchString(q) || q == "":
			continue
		case topic != "" && topic != q:
			parts = append(parts, topic)
		default:
			parts = append(parts, q)
		}
		if topic != q || !dependent(q) && !isCorrection(q) {
			break
		}
	}
	slices.Reverse(parts)
	base := ""
	for _, p := range parts {
		if isCorrection(p) && base != "" {
			base = corrected(base, p)
		} else {
			base = strings.TrimPrefix(base+"\n"+short(p, baseRunes), "\n")
		}
	}
	return short(base, chainRunes)
}

// short is a text's first characters, without a mark that it was cut: it is searched for.
func short(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// lastTitle is the law of the article that was cited last, in its brackets; the law that
// was named last where no article was.
func lastTitle(history []Turn) string {
	for _, t := range slices.Backward(history) {
		said := spoken(t.Text)
		if found := citedLaw.FindAllStringSubmatch(said, -1); len(found) > 0 {
			return found[len(found)-1][1]
		}
		if found := titles.FindAllString(said, -1); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// spoken is an answer without the notes and the list of sources that follow it in plain
// chat clients.
func spoken(text string) string {
	for _, end := range []string{"\n\n> ", "\n\n依据：\n", "\n\n另见：\n"} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}
