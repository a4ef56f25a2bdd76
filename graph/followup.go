package graph

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	llm "lexagent/model"
	"lexagent/prompts"
)

// Bounds of what of a conversation a search takes in.
const (
	followTurns = 4   // questions of a chain that build on one another
	baseRunes   = 80  // of one earlier question
	chainRunes  = 240 // of all of them
	fewContent  = 4   // characters of content with which a question says nothing by itself
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
	Ask      string // what to ask back, once a conversation and only where nothing can be looked for; "" = nothing
}

// AskBack is what is asked where a question points to what nobody has said.
const AskBack = "您指的是哪件事？请补充事情的经过，或者涉及的法律、合同、时间，我再依据法条回答。"

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
	used, err := c.LLM.Ask(ctx, p, func(reply string) error {
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

var (
	greeting = regexp.MustCompile(`^(?:(?:你好|您好|律师|请问一下|请问|想问一下|问一下|麻烦问下|谢谢|好的|嗯|哦)[，,。！!、\s]*)+`)
	newTopic = regexp.MustCompile(`^(?:换一?个(?:话题|问题)|(?:另外)?(?:再|还想|我想|想)?问(?:另外?)?(?:一个|个)?(?:别的|其他的?|另外的?|新的?)?(?:问题|事情|事)|另外?(?:一个|个)(?:问题|事)|另外(?:再|想)?问一?下|顺便问一?下?|不说这个了?|下一个问题|新问题)[，,。：:！!\s]*`)
	wantMore = regexp.MustCompile(`^(?:那)?(?:还有(?:没有)?(?:别的|其他的?|其它的?|呢|吗|哪些|什么|啥)*|(?:别的|其他的?|其它的?)(?:呢|吗|情况|情形)*|除此之外(?:呢|还有(?:什么|哪些|别的)?)?|除了这些(?:呢|还有(?:什么|哪些|别的)?)?|没有(?:别的|其他)了吗?|就这些吗?|继续|接着说|(?:再)?(?:详细|具体)(?:说说|讲讲|说|讲|一点|点)*|展开(?:说说|讲讲|说|讲)*)[吗呢么啊呀？?。！!\s]*$`)
	corrects = regexp.MustCompile(`^(?:不对|错了|不是|我?说错了?|更正|纠正|应该是|我的意思是|我是说|其实(?:是|我)|准确地?说)`)
	instead  = regexp.MustCompile(`不是(.{1,20}?)[，,、\s]*(?:而)?是(.{1,30}?)[。！!？?\s]*$`)
	strong   = regexp.MustCompile(`^(?:那|这|该|此|他|她|它|上述|前述|上面|前面|刚才|刚刚|对方|以上|可是|但是|所以|还有)|(?:这|那)(?:个|种|样|些|家|里|条|笔|件|份|次|时候|时)|(?:他|她|它)(?:们|的|能|要|会|可|应|不|有|是|受|需|强)|上述|前述|刚才|你(?:刚)?说的|(?:呢|咋办)[？?。！!\s]*$`)
	weak     = regexp.MustCompile(`^(?:如果|要是|假如|万一|怎么|为什么|为啥|具体|如何|并且|而且|需要|要|能|可以|是否|应该|去哪|在哪)`)
	named    = regexp.MustCompile(`(?:《[^》]+》|[\p{Han}]{2,}(?:法|法典|条例|办法|规定|解释))第[〇零一二三四五六七八九十百千\d]+条`)
	numbered = regexp.MustCompile(`第[〇零一二三四五六七八九十百千\d]+条`)
	titles   = regexp.MustCompile(`《[^》]{2,60}》`)
	empty    = regexp.MustCompile(`是不是|能不能|会不会|有没有|可不可以|要不要|是否|可以|可能|应该|应当|需要|如果|要是|假如|怎么样|怎么办|怎么|怎样|如何|什么|哪里|哪些|哪个|哪儿|多少|多久|多长时间|几天|为什么|这个|那个|这些|那些|这样|那样|这种|那种|这里|这时候|他们|她们|我们|你们|对方|双方|情况|问题|处理|一下|的话|[的了吗呢么啊呀吧是要能会有我你他她它这那该和与在被把就还也都不没去来到给对从向请说想得着过用做办算里面时候钱，,。！!？?；;：:、“”"'（）()\s]`)
	crime    = regexp.MustCompile(`[\p{Han}]罪`)
)

// Follow sees a question in its conversation, by its words alone.
func Follow(question string, history []Turn) FollowUp {
	q := strings.TrimSpace(greeting.ReplaceAllString(strings.TrimSpace(question), ""))
	if rest := strings.TrimSpace(newTopic.ReplaceAllString(q, "")); rest != q && rest != "" {
		return FollowUp{Standing: Alone, Query: rest}
	}
	if q == "" {
		q = question
	}
	before, asked := earlier(history)
	base := ""
	if len(before) > 0 {
		base = chain(before)
	}
	switch {
	case named.MatchString(q):
		return FollowUp{Standing: Alone, Query: q}
	case base == "":
		if !asked && points(q) && content(q) < fewContent {
			return FollowUp{Standing: Unclear, Query: q, Ask: AskBack}
		}
		return FollowUp{Standing: Alone, Query: q}
	case asked: // it answers what was asked back
		return FollowUp{Standing: BuildsOn, Query: base + "\n" + q}
	case numbered.MatchString(q):
		if title := lastTitle(history); title != "" {
			return FollowUp{Standing: BuildsOn, Query: numbered.ReplaceAllStringFunc(q, func(s string) string { return title + s })}
		}
	case wantMore.MatchString(q):
		return FollowUp{Standing: More, Query: base}
	case corrects.MatchString(q):
		return FollowUp{Standing: Corrects, Query: corrected(base, q)}
	}
	if dependent(q) {
		return FollowUp{Standing: BuildsOn, Query: base + "\n" + q}
	}
	return FollowUp{Standing: Alone, Query: q}
}

// dependent reports whether a question says too little alone: it points to what was
// said, or has hardly a word of its own.
func dependent(q string) bool {
	n := content(q)
	switch {
	case strong.MatchString(q):
		return true
	case crime.MatchString(q):
		return false
	case weak.MatchString(q):
		return n <= 2*fewContent
	}
	return n <= fewContent
}

// points reports whether a question points to something outside it, or has no word of
// its own at all.
func points(q string) bool { return strong.MatchString(q) || content(q) == 0 }

// content counts the characters of a question that are not said of any matter.
func content(q string) int { return utf8.RuneCountInString(empty.ReplaceAllString(q, "")) }

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
		q = strings.TrimSpace(greeting.ReplaceAllString(strings.TrimSpace(q), ""))
		topic := strings.TrimSpace(newTopic.ReplaceAllString(q, ""))
		switch {
		case wantMore.MatchString(q) || q == "":
			continue
		case topic != "" && topic != q:
			parts = append(parts, topic)
		default:
			parts = append(parts, q)
		}
		if topic != q || !dependent(q) && !corrects.MatchString(q) {
			break
		}
	}
	slices.Reverse(parts)
	base := ""
	for _, p := range parts {
		if corrects.MatchString(p) && base != "" {
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

// corrected puts a correction in the place of what it corrects, where the words are
// there, and behind it otherwise.
func corrected(base, correction string) string {
	if m := instead.FindStringSubmatch(correction); m != nil {
		if strings.Contains(base, m[1]) {
			return strings.ReplaceAll(base, m[1], m[2])
		}
		return base + "\n" + m[2]
	}
	return base + "\n" + correction
}

// lastTitle is the law that was named last, in its brackets.
func lastTitle(history []Turn) string {
	for _, t := range slices.Backward(history) {
		if found := titles.FindAllString(t.Text, -1); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}
