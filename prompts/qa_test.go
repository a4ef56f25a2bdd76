package prompts

import (
	"strings"
	"testing"
)

func TestQAFitsWhatIsAsked(t *testing.T) {
	article := []DraftArticle{{Name: "《某法》第一条", Text: strings.Repeat("长", 2000)}}
	for _, c := range []struct {
		what      string
		in        QAInput
		has, lack []string
	}{
		{"from memory", QAInput{Question: "问", MaxChars: 200}, []string{"<问题>", "200 字"}, []string{"<法条", "依据给出的法条"}},
		{"with articles", QAInput{Question: "问", Articles: article}, []string{"依据给出的法条", "《某法》第一条"}, nil},
		{"a statement", QAInput{Question: "述", Statement: true}, []string{"<说法>", "“正确”或“错误”"}, []string{"<问题>"}},
		{"in a dialogue", QAInput{Question: "问", History: []DraftTurn{{"用户", "前"}}}, []string{"用户：前"}, nil},
	} {
		p, err := QA(c.in)
		if err != nil {
			t.Fatal(err)
		}
		all := p.System + p.User
		for _, s := range c.has {
			if !strings.Contains(all, s) {
				t.Errorf("%s: no %q in\n%s", c.what, s, all)
			}
		}
		for _, s := range c.lack {
			if strings.Contains(all, s) {
				t.Errorf("%s: %q in\n%s", c.what, s, all)
			}
		}
		if strings.Count(all, "长") > maxQAArticleRunes {
			t.Errorf("%s: an article is not cut", c.what)
		}
	}
}
