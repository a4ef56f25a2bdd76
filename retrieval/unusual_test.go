package retrieval

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lexagent/model"
)

// far is an encoder whose vectors of one side have nothing to do with those of the
// other, as for a language that it doesn't know.
type far struct{ bags }

func (far) Encode(_ context.Context, texts []string, _ model.Role) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = make([]float32, 64)
	}
	return out, nil
}

// short is an encoder that reads 100 bytes.
type short struct{ bags }

func (short) Cuts(text string) bool { return len(text) > 100 }

// TestUnusualQuestions holds that whatever is asked, something of use comes, or one
// sentence that says what is wrong.
func TestUnusualQuestions(t *testing.T) {
	const (
		noWords = "问题里没有法条中出现的词，没有可靠的结果；请用中文写出要问的事。"
		nearby  = "问题里没有法条中出现的词，结果只按语义相近得出，未必相关。"
		old     = "问题以繁体字写成，已转为简体检索。"
		one     = "问题只有一个字，请写得具体一些。"
		long    = "问题很长，语义检索只读了开头部分；请把要问的事写在最前面，或写得短一些。"
		named   = "问题只写了法律名称，先列出《中华人民共和国民法典》开头的条文；要查具体规定，请写出条号或要问的事。"
	)
	unasked := Modes[:4]                                       // a language model may know what a question in another language means
	story := strings.Repeat("我们去年结婚，现在双方自愿离婚，想撤回离婚登记申请。", 200) // 5,000 characters
	for _, c := range []struct {
		what, question string
		modes          []Mode
		encoder        Encoder
		floor          float64
		first          string // id of the first hit; "" = none
		notes          []string
	}{
		{"one character", "婚", Modes[1:], bags{}, 0.5, "?", []string{one}},
		{"one emoji", "😀", unasked, far{}, 0.5, "", []string{noWords}},
		{"one mark", "？", unasked, far{}, 0.5, "", []string{noWords}},
		{"pinyin", "lihun lengjingqi shi duojiu", unasked, far{}, 0.5, "", []string{noWords}},
		{"English", "How long is the cooling-off period?", unasked, far{}, 0.5, "", []string{noWords}},
		{"English, to an encoder that knows it", "How long is the cooling-off period?", unasked[1:], bags{}, 0, "?", []string{nearby}},
		{"English, by words", "How long is the cooling-off period?", unasked[:1], bags{}, 0, "?", []string{noWords}},
		{"mixed English", "wife 想撤回离婚登记 application", Modes, bags{}, 0.5, "民法典@2020-05-28:1077", nil},
		{"5,000 characters", story, Modes, bags{}, 0.5, "?", nil},
		{"5,000 characters, of which the encoder reads few", story, Modes[1:], short{}, 0.5, "?", []string{long}},
		{"traditional characters", "離婚登記申請可以撤回嗎", Modes, bags{}, 0.5, "民法典@2020-05-28:1077", []string{old}},
		{"an article in traditional characters", "勞動合同法82條", Modes, bags{}, 0.5, "劳动合同法@2012-12-28:82", []string{old}},
		{"the name of a law", "民法典", Modes, bags{}, 0.5, "民法典@2020-05-28:1", []string{named}},
		{"the same in brackets", "《中华人民共和国民法典》？", Modes, bags{}, 0.5, "民法典@2020-05-28:1", []string{named}},
		{"the name of a law in a question", "民法典怎么规定离婚登记申请的撤回", Modes, bags{}, 0.5, "民法典@2020-05-28:1077", nil},
	} {
		e := engineOf(t, append(slices.Clone(testLaws), testLaw{
			"中华人民共和国民法典", "2020-05-28", "", "public", 1, 20210101, 0, map[int]string{1: "为了保护民事主体的合法权益，制定本法。", 2: "民法调整平等主体之间的人身关系和财产关系。"},
		}), all)
		e.Encoder, e.Floor = c.encoder, c.floor
		for _, mode := range c.modes {
			res := find(t, e, Query{Text: c.question, Mode: mode})
			if !slices.Equal(res.Notes, c.notes) && len(res.Notes)+len(c.notes) > 0 {
				t.Errorf("%s, %s: notes %q", c.what, mode, res.Notes)
			}
			switch {
			case c.first == "" || mode == BM25 && slices.Contains(c.notes, noWords):
				if len(res.Hits) > 0 {
					t.Errorf("%s, %s: found %v", c.what, mode, ids(res.Hits))
				}
			case len(res.Hits) == 0 || c.first != "?" && res.Hits[0].ID != c.first:
				t.Errorf("%s, %s: found %v", c.what, mode, ids(res.Hits))
			}
		}
	}
}
