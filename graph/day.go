package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lexagent/retrieval"
	"lexagent/statute"
)

// How a question speaks of the past: a day or a year of what happened, and the law of then.
var (
	pastDay = regexp.MustCompile(`((?:19|20)[0-9]{2})(?:年(?:([0-9]{1,2})月(?:([0-9]{1,2})[日号])?)?|[-/.]([0-9]{1,2})[-/.]([0-9]{1,2}))`)
	edition = regexp.MustCompile(`^[^，。；？]{0,8}(?:修正|修订|修改|公布|颁布|版)`) // 2018年修正的公司法 is a name
	ofThen  = regexp.MustCompile(`(?:当时|那时|彼时)(?:候)?(?:的|有效的|施行的|适用的)?(?:法律|法规|规定|条文|法条|民法|刑法)|按(?:照)?(?:当时|那时)|(?:根据|依据|依照|按照?|适用)[^，。；？]{0,12}年[^，。；？]{0,6}(?:的|施行的|有效的)(?:法律|法规|规定|条文|法条)`)
)

// dayOf finds the day that a question speaks of, the last of the year or month where it
// names no more, and whether it asks for the law of then. ok is false where it names none
// that is past, or several.
func dayOf(question string, today statute.Date) (day statute.Date, law, ok bool) {
	question = titles.ReplaceAllString(question, "")
	for _, at := range pastDay.FindAllStringSubmatchIndex(question, -1) {
		if edition.MatchString(question[at[1]:]) {
			continue
		}
		d, err := endOf(question, at)
		if err != nil || d >= today || day != 0 && d != day {
			return 0, false, false
		}
		day = d
	}
	return day, ofThen.MatchString(question), day != 0
}

// endOf is the last day of the year, month or day that was found.
func endOf(text string, at []int) (statute.Date, error) {
	number := func(group int) int {
		if at[2*group] < 0 {
			return 0
		}
		n, _ := strconv.Atoi(text[at[2*group]:at[2*group+1]]) // digits
		return n
	}
	y, m, d := number(1), number(2)+number(4), number(3)+number(5)
	switch {
	case m == 0:
		return statute.NewDate(y, 12, 31)
	case d == 0:
		for d = 31; d > 28; d-- {
			if day, err := statute.NewDate(y, m, d); err == nil {
				return day, nil
			}
		}
		return statute.NewDate(y, m, 28)
	}
	return statute.NewDate(y, m, d)
}

// past takes in the day that a question speaks of. Where it asks for the law of then, that
// is what is searched; else the answer is by the law of today, and laterLaws tells what
// that may mean.
func (j *job) past(today statute.Date) {
	if as := j.request.Scope.AsOf; as.Any || as.Day != 0 {
		return
	}
	day, law, ok := dayOf(j.asked(), today)
	switch {
	case !ok:
	case law:
		j.request.Scope.AsOf = retrieval.AsOf{Day: day}
		j.notes = append(j.notes, "按 "+day.String()+" 有效的法律检索。")
	default:
		j.happened = day
	}
}

// laterLaws tells the reader which of the laws cited were made after what the question
// speaks of.
func (j *job) laterLaws(cited []Citation) string {
	if j.happened == 0 {
		return ""
	}
	var later []string
	seen := map[string]bool{}
	for i := range cited {
		c := &cited[i]
		id, err := statute.ParseID(c.ID)
		if err != nil || seen[id.Law] {
			continue
		}
		if made, err := statute.ParseDate(id.Version); err == nil && made > j.happened {
			seen[id.Law] = true
			later = append(later, fmt.Sprintf("《%s》（%s）", c.Law, made))
		}
	}
	if len(later) == 0 {
		return ""
	}
	return fmt.Sprintf("以上按现行法律回答；%s在您所说的时间（%s）之后才通过或修改，当时的事可能适用当时的法律。", strings.Join(later, "、"), j.happened)
}
