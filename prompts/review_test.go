package prompts

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReview(t *testing.T) {
	pass := `{"verdict":"pass","reasons":[]}`
	whole := `{"verdict":"pass","reasons":[],"missing":[]}`
	for _, c := range []struct {
		what, reply string
		want        Review // the zero one: refused
	}{
		{"all pass", `{"evidence":` + pass + `,"consistency":` + pass + `,"completeness":` + whole + `}`,
			Review{Judgement{Pass: true}, Judgement{Pass: true}, Completeness{Judgement{Pass: true}, nil}}},
		{"in a fence", "```json\n" + `{"evidence":` + pass + `,"consistency":` + pass + `,"completeness":` + whole + "}\n```",
			Review{Judgement{Pass: true}, Judgement{Pass: true}, Completeness{Judgement{Pass: true}, nil}}},
		{"failures have reasons, and what to look for", `{"evidence":` + pass + `,"consistency":{"verdict":"fail","reasons":["把可以写成应当"]},"completeness":{"verdict":"fail","reasons":["没有回答期限"],"missing":["撤回离婚登记申请的期限"]}}`,
			Review{Judgement{Pass: true}, Judgement{Reasons: []string{"把可以写成应当"}}, Completeness{Judgement{Reasons: []string{"没有回答期限"}}, []string{"撤回离婚登记申请的期限"}}}},
		{"queries of what passed are dropped", `{"evidence":` + pass + `,"consistency":` + pass + `,"completeness":{"verdict":"pass","reasons":[],"missing":["期限"]}}`,
			Review{Judgement{Pass: true}, Judgement{Pass: true}, Completeness{Judgement{Pass: true}, nil}}},
		{"prose", "三项都通过。", Review{}},
		{"nothing", "", Review{}},
		{"a verdict is missing", `{"evidence":` + pass + `,"consistency":` + pass + `}`, Review{}},
		{"an empty verdict", `{"evidence":{"reasons":[]},"consistency":` + pass + `,"completeness":` + whole + `}`, Review{}},
		{"a third verdict", `{"evidence":{"verdict":"partial","reasons":[]},"consistency":` + pass + `,"completeness":` + whole + `}`, Review{}},
		{"true is no verdict", `{"evidence":{"verdict":true,"reasons":[]},"consistency":` + pass + `,"completeness":` + whole + `}`, Review{}},
		{"single quotes", `{'evidence':{'verdict':'pass'}}`, Review{}},
		{"fails without a reason", `{"evidence":{"verdict":"fail","reasons":[" "]},"consistency":` + pass + `,"completeness":` + whole + `}`, Review{}},
		{"incomplete, and nothing to look for", `{"evidence":` + pass + `,"consistency":` + pass + `,"completeness":{"verdict":"fail","reasons":["缺"],"missing":[]}}`, Review{}},
		{"text after it", `{"evidence":` + pass + `,"consistency":` + pass + `,"completeness":` + whole + `} 以上。`, Review{}},
		{"half of it", `{"evidence":` + pass + `,"consis`, Review{}},
		{"another field", `{"evidence":` + pass + `,"consistency":` + pass + `,"completeness":` + whole + `,"score":5}`, Review{}},
	} {
		got, err := ParseReview(c.reply)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		if refused := cmp.Equal(c.want, Review{}); refused != (err != nil) || refused && !errors.Is(err, ErrReply) {
			t.Errorf("%s: error %v", c.what, err)
		}
	}
}
