package verify

import (
	"fmt"
	"regexp"
	"strings"

	"lexagent/book"
)

// namedLaw finds a law that a text relies on by its bare name and without an article:
// 根据离婚冷静期法的规定. References with brackets or numbers are found by the grammar.
var namedLaw = regexp.MustCompile(`(?:根据|依据|依照|按照|违反|适用)了?(?:我国|中国|现行)?((?:中华人民共和国)?\p{Han}{2,18}?[^办方做说语手用看立司执合违非依想算书疗守普]法)的?(?:有关|相关|明确|具体)?规定`)

// fields of law, and names that point to one; they are no statutes.
var fieldOrPointer = regexp.MustCompile(`(?:^|的)(?:有关|相关|其他|上述|前述|本|该|此|这部|那部|国家|当地|各国|外国|国内|国际|新|旧|原)|(?:法律|行政|实体|程序|特别|一般|普通|上位|下位|民商|经济|国际|海洋|成文|判例|基本|刑事|民事|私|公|地方|双方|和|与|及|或)法$|法律|法规`)

// namedOnly judges the laws that a text relies on by name alone and that the book does not
// have.
func (r *run) namedOnly() error {
	for _, at := range namedLaw.FindAllStringSubmatchIndex(r.Text, -1) {
		from, to := at[2], at[3]
		name := r.Text[from:to]
		if fieldOrPointer.MatchString(name) || overlapsMention(r.mentions, from, to) || overlaps(r.quoted, from, to) || strings.Contains(r.evidence.printed, name) {
			continue
		}
		found, err := r.checker.Book.Mentions(r.ctx, r.Collections, "《"+name+"》", nil, r.Day)
		if err != nil {
			return fmt.Errorf("look up a law by its name: %w", err)
		}
		if len(found) != 1 || found[0].Outcome != book.NoLaw {
			continue
		}
		f, err := r.judge(&found[0])
		if err != nil {
			return err
		}
		f.Kind = Reference
		r.add(f, from, to)
	}
	return nil
}

func overlapsMention(mentions []book.Mention, from, to int) bool {
	for i := range mentions {
		if mentions[i].Start < to && mentions[i].End > from {
			return true
		}
	}
	return false
}
