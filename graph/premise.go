package graph

import (
	"context"
	"regexp"
	"strings"
	"unicode"

	"lexagent/retrieval"
)

// premise finds the article that a question stands on, 根据民法典第2000条，.
var premise = regexp.MustCompile(`(?:根据|依据|按照|依照|请问)?(?:《[^《》]+》|\p{Han}{1,20}?(?:法典|法|条例|规定|办法|细则|解释|规则))?(?:第[零〇一二两三四五六七八九十百千0-9０-９]+条(?:之[一二三四五六七八九十]+)?(?:第[一二三四五六七八九十0-9]+[款项])*)(?:的?规定)?的?[，,：:]?|《[^《》]+》(?:的?规定)?的?[，,：:]?`)

// minRest is the length in letters of what is left of a question that can be asked
// without its premise.
const minRest = 6

// withoutPremise is a question without the articles that it names, "" where too little
// is left to search for.
func withoutPremise(question string) string {
	rest := strings.TrimSpace(premise.ReplaceAllString(question, ""))
	n := 0
	for _, r := range rest {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	for _, about := range []string{"是什么", "规定了什么", "怎么规定", "什么内容", "的内容"} {
		if strings.Contains(rest, about) && n < 2*minRest {
			return "" // it asks for the article itself
		}
	}
	if n < minRest {
		return ""
	}
	return rest
}

// search finds the units for a question. Where it stands on an article or a law that is
// not there, the notes say so, and the rest of it is searched for.
func (g *Graph) search(ctx context.Context, j *job) (*retrieval.Result, error) {
	q := retrieval.Query{Text: j.query, Mode: j.request.Mode, By: j.by(), Scope: j.request.Scope, Explain: true, Whole: true}
	res, err := g.o.Search.Search(ctx, q)
	if err != nil || !res.Absent {
		return res, err
	}
	if q.Text = withoutPremise(j.query); q.Text == "" {
		return res, nil
	}
	rest, err := g.o.Search.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	rest.Notes = append(res.Notes, rest.Notes...)
	return rest, nil
}
