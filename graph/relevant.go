package graph

import (
	"regexp"

	"lexagent/retrieval"
)

// foreign finds questions about the law of another country: 德国民法典第823条,
// 美国宪法. 在美国登记的婚姻 is a question to Chinese law and is not meant.
var foreign = regexp.MustCompile(`(美国|德国|法国|英国|日本|韩国|俄罗斯|加拿大|澳大利亚|新加坡|印度|意大利|西班牙|泰国|越南|朝鲜)(联邦)?的?(民法|刑法|宪法|法律|公司法|劳动法|合同法|婚姻法|移民法|商法|税法|专利法)`)

// nearer is how much nearer than the floor a hit must be to stand beside articles
// that the question names, or to be shown where a language model finds no answer in it.
const nearer = 0.1

// everydayNearer is how much nearer a hit must be for a question that is hardly one of law.
// More turns away what people do ask: 离婚冷静期是多久 sounds like a question about cooking.
const everydayNearer = 0.05

// near reports whether a hit is that near.
func near(h *retrieval.Hit, floor float64) bool {
	return h.Scores != nil && h.Scores.Plain != nil && *h.Scores.Plain >= floor+nearer
}

// withNear returns the articles that the question names, and other hits only where
// they are near.
func withNear(res *retrieval.Result, floor float64) []retrieval.Hit {
	hits := res.Hits[:res.Named:res.Named]
	for _, h := range res.Hits[res.Named:] {
		if near(&h, floor) {
			hits = append(hits, h)
		}
	}
	return hits
}

// relevant returns the hits that bear on the question: those that it names, and
// those found if the nearest of them is as near as the encoder's floor. A question
// that no statute in the book answers has neighbours too, only distant ones.
func relevant(question string, res *retrieval.Result, floor float64) []retrieval.Hit {
	switch {
	case res.Direct:
		return withNear(res, floor)
	case res.Absent:
		return nil // what it asks about is not there, and the result's notes say so
	}
	if foreign.MatchString(question) {
		return nil
	}
	best, known := 0.0, false
	for i := range res.Hits {
		if s := res.Hits[i].Scores; s != nil && s.Plain != nil {
			best, known = max(best, *s.Plain), true
		}
	}
	if known && (best < floor || res.Everyday && best < floor+everydayNearer) {
		return nil
	}
	return res.Hits
}
