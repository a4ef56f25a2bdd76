package prompts

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// review asks for LegRAG's three verdicts on a draft in one call.
var review = newStage("review.v3", 500, grounds).replies(reviewSchema)

// ReviewInput is a draft to be reviewed, and what it was written from.
type ReviewInput struct {
	Question string
	Articles []DraftArticle // the evidence, as the draft was given it
	History  []DraftTurn    // as the draft was given it
	Answer   string
}

// Review is a model's verdict on a draft.
type Review struct {
	Evidence     Judgement    `json:"evidence"`     // is every conclusion borne out by the articles
	Consistency  Judgement    `json:"consistency"`  // does none reverse, widen or narrow what they say
	Completeness Completeness `json:"completeness"` // is every part of the question answered
}

// Judgement is the verdict on one side of a draft. A failed one has reasons.
type Judgement struct {
	Pass    bool
	Reasons []string
}

// Completeness is a verdict on whether everything is answered.
type Completeness struct {
	Judgement
	Missing []string // what to search for, at least one where it failed
}

// Bounds of a review, in entries and characters: about twice of what is asked for.
const (
	maxReasons     = 6
	maxReasonRunes = 160
	maxMissing     = 3
	maxQueryRunes  = 60
	maxAnswerRunes = 2000
)

// AskReview renders the prompt that asks for the three verdicts, each with reasons and,
// for completeness, with what is to be searched for.
func AskReview(in ReviewInput) (Prompt, error) {
	shown := DraftInput{Question: in.Question, Articles: in.Articles, History: in.History}.escaped()
	return review.render(ReviewInput{shown.Question, shown.Articles, shown.History, inert(cut(in.Answer, maxAnswerRunes))})
}

// reviewSchema is the shape of a review, for endpoints that hold a model to it.
var reviewSchema = shape(
	side("evidence", list("reasons")), side("consistency", list("reasons")), side("completeness", list("reasons"), list("missing")))

// side is one of the three, with its verdict last.
func side(name string, lists ...property) property {
	return property{name, shape(append(lists, oneOf("verdict", "pass", "fail"))...)}
}

func list(name string) property {
	return property{name, map[string]any{"type": "array", "maxItems": 3, "items": map[string]any{"type": "string"}}}
}

// judgement is a verdict as a model writes it. A pointer tells what is absent.
type judgement struct {
	Verdict *string  `json:"verdict"`
	Reasons []string `json:"reasons"`
}

// ParseReview reads the reply to AskReview. A verdict that is absent, is none of the
// two, or fails without a reason is refused: nothing passes by default.
func ParseReview(reply string) (Review, error) {
	var v struct {
		Evidence     *judgement `json:"evidence"`
		Consistency  *judgement `json:"consistency"`
		Completeness *struct {
			judgement
			Missing []string `json:"missing"`
		} `json:"completeness"`
	}
	if err := object(reply, &v); err != nil {
		return Review{}, err
	}
	if v.Evidence == nil || v.Consistency == nil || v.Completeness == nil {
		return Review{}, fmt.Errorf("%w: 缺少 evidence、consistency 或 completeness", ErrReply)
	}
	var r Review
	for _, part := range []struct {
		name string
		from *judgement
		to   *Judgement
	}{{"evidence", v.Evidence, &r.Evidence}, {"consistency", v.Consistency, &r.Consistency}, {"completeness", &v.Completeness.judgement, &r.Completeness.Judgement}} {
		j, err := part.from.read(part.name)
		if err != nil {
			return Review{}, err
		}
		*part.to = j
	}
	missing, err := lines("missing", v.Completeness.Missing, maxMissing, maxQueryRunes)
	if err != nil {
		return Review{}, err
	}
	if !r.Completeness.Pass {
		if len(missing) == 0 {
			return Review{}, fmt.Errorf("%w: completeness 为 fail 而 missing 为空", ErrReply)
		}
		r.Completeness.Missing = missing
	}
	return r, nil
}

func (j *judgement) read(name string) (Judgement, error) {
	if j.Verdict == nil {
		return Judgement{}, fmt.Errorf("%w: %s 缺少 verdict", ErrReply, name)
	}
	reasons, err := lines(name+" 的 reasons", j.Reasons, maxReasons, maxReasonRunes)
	if err != nil {
		return Judgement{}, err
	}
	switch *j.Verdict {
	case "pass":
		return Judgement{Pass: true}, nil
	case "fail":
		if len(reasons) == 0 {
			return Judgement{}, fmt.Errorf("%w: %s 为 fail 而没有理由", ErrReply, name)
		}
		return Judgement{Reasons: reasons}, nil
	}
	return Judgement{}, fmt.Errorf("%w: %s 的 verdict 不是 pass 或 fail", ErrReply, name)
}

// lines tidies a list of short texts, and refuses one that is too long. Empty entries
// are passed over.
func lines(name string, list []string, most, runes int) ([]string, error) {
	var out []string
	for _, s := range list {
		if s = strings.Join(strings.Fields(s), " "); s == "" {
			continue
		}
		if n := utf8.RuneCountInString(s); n > runes {
			return nil, fmt.Errorf("%w: %s有一条 %d 字，最多 %d 字", ErrReply, name, n, runes)
		}
		out = append(out, s)
	}
	if len(out) > most {
		return nil, fmt.Errorf("%w: %s有 %d 条，最多 %d 条", ErrReply, name, len(out), most)
	}
	return out, nil
}
