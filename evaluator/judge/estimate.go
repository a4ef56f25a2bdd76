package judge

import (
	"fmt"
	"strings"
	"time"

	"lexagent/model"
)

// Estimate is what a batch will take, told before it begins. Replies that are refused
// and asked for again are not foreseen.
type Estimate struct {
	Answers    int  `json:"answers"`
	Views      int  `json:"judgements"` // of these answers: as they are, swapped, repeated
	Kept       int  `json:"kept"`       // judgements that the file has
	Calls      int  `json:"calls"`      // for the others: one each, or one for each dimension
	Prompt     int  `json:"prompt_tokens"`
	Completion int  `json:"completion_tokens"`
	Measured   bool `json:"measured"` // tokens and time by the judgements that the file has
	Costs
}

// Rates are what a language model takes, by which its use is estimated; what is 0 is
// not known.
type Rates struct {
	Speed           float64 // tokens that it writes a second; reading is taken to be ten times as fast
	PromptPrice     float64 // of a million tokens, in any currency
	CompletionPrice float64
}

// Costs are the time and the money of some use of a language model.
type Costs struct {
	Seconds float64 `json:"seconds,omitempty"` // 0 = not known
	Price   float64 `json:"price,omitempty"`   // likewise
}

// Costs of a number of tokens.
func (r Rates) Costs(prompt, completion int) Costs {
	c := Costs{Price: (float64(prompt)*r.PromptPrice + float64(completion)*r.CompletionPrice) / 1e6}
	if r.Speed > 0 {
		c.Seconds = (float64(prompt)/10 + float64(completion)) / r.Speed
	}
	return c
}

// String tells the costs that are known, behind a comma each.
func (c Costs) String() string {
	var b strings.Builder
	if c.Seconds > 0 {
		fmt.Fprintf(&b, ", about %s", time.Duration(c.Seconds*float64(time.Second)).Round(time.Second))
	}
	if c.Price > 0 {
		fmt.Fprintf(&b, ", about %.2f in the currency of the prices", c.Price)
	}
	return b.String()
}

// Tokens of a reply with a verdict, where none has been measured.
const (
	verdictTokens = 65 // scores and a reason of fifty characters
	scoreTokens   = 35
)

// Estimate tells what Run will take. Tokens come from the texts, and where the file
// has verdicts already, corrected by theirs; time from theirs, or else from the speed.
func (b *Batch) Estimate(r Rates) (Estimate, error) {
	cached, err := b.read()
	if err != nil {
		return Estimate{}, err
	}
	each := verdictTokens
	if b.Judge.Each {
		each = scoreTokens
	}
	e := Estimate{Answers: len(b.Items)}
	guess, known := 0, 0 // tokens of prompts by their texts: of those that are left, and of those that are judged
	var used Usage
	ms := 0.0
	for i := range b.Items {
		for _, as := range b.views(&b.Items[i]) {
			asked, err := b.Judge.prompts(&b.Items[i], as)
			if err != nil {
				continue // nothing to judge by: no call
			}
			tokens := 0
			for _, p := range asked {
				tokens += model.Tokens(p.System) + model.Tokens(p.User)
			}
			h, err := b.Judge.hash(&b.Items[i], as)
			if err != nil {
				return e, err
			}
			e.Views++
			if l := cached[h]; l != nil {
				e.Kept++
				if l.LLM.Calls == len(asked) && l.MS > 0 {
					known += tokens
					ms += l.MS
					used.Add(l.LLM)
				}
				continue
			}
			e.Calls += len(asked)
			guess += tokens
		}
	}
	e.Prompt, e.Completion = guess, e.Calls*each
	if used.PromptTokens > 0 && known > 0 {
		e.Measured = true
		e.Prompt = int(float64(guess) * float64(used.PromptTokens) / float64(known))
		e.Completion = e.Calls * used.CompletionTokens / used.Calls
	}
	e.Costs = r.Costs(e.Prompt, e.Completion)
	if e.Measured {
		e.Seconds = ms / 1000 / float64(used.Calls) * float64(e.Calls)
	}
	return e, nil
}

// String is the estimate on one line.
func (e Estimate) String() string {
	text := fmt.Sprintf("%d answers, %d judgements, %d of them kept from before: %d calls, about %d tokens of prompts and %d of replies",
		e.Answers, e.Views, e.Kept, e.Calls, e.Prompt, e.Completion)
	if e.Seconds == 0 && e.Calls > 0 {
		text += ", the time to be told after the first"
	}
	return text + e.Costs.String()
}
