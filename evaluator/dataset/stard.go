package dataset

import "sort"

// stardRecord is a question of STARD or LeCoQA as published.
type stardRecord struct {
	ID       *anyID            `json:"query_id"`
	Question string            `json:"问题"`
	Answer   string            `json:"答案文本"`
	Laws     map[string]string `json:"相关法规"`       // texts by name
	Names    []string          `json:"match_name"` // the golds
	IDs      []anyID           `json:"match_id"`   // their ids in the published corpus, in another order
}

// readSTARD reads queries.json of STARD or LeCoQA.
func readSTARD(data []byte) ([]Question, error) {
	var qs []Question
	err := records(data, func(r *stardRecord) error {
		switch {
		case r.ID == nil || *r.ID == "":
			return missing("query_id", "a question")
		case r.Question == "":
			return missing("问题", "a question")
		case r.Names == nil && r.Laws == nil:
			return missing("match_name", "a question")
		}
		names := r.Names
		if names == nil {
			for name := range r.Laws {
				names = append(names, name)
			}
			sort.Strings(names)
		}
		q := Question{ID: string(*r.ID), Question: r.Question, Answer: r.Answer}
		for _, name := range names {
			a := article(name)
			a.Text = unescape(r.Laws[name])
			q.Gold = append(q.Gold, a)
		}
		if err := q.check(); err != nil {
			return err
		}
		qs = append(qs, q)
		return nil
	})
	return qs, err
}
