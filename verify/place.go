package verify

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lexagent/statute"
)

// itemLabel finds the labels of items (项) in an article: （一）, (12).
var itemLabel = regexp.MustCompile(`[（(]\s*([一二三四五六七八九十百〇零]{1,5}|[0-9０-９]{1,3})\s*[）)]`)

// lineItem finds what makes a line an item or a part of one, and no paragraph.
var lineItem = regexp.MustCompile(`^\s*(?:[（(]\s*(?:[一二三四五六七八九十百〇零]{1,5}|[0-9０-９]{1,3})\s*[）)]|[0-9０-９]{1,3}\s*[.．、]|[一二三四五六七八九十]{1,3}、|[①-⑳]|\|)`)

// maxParagraph is the highest number that is taken for a paragraph's: 第703款 means an
// article, and no article has as many.
const maxParagraph = 30

// paragraphs splits an article into its paragraphs (款): lines that are items
// belong to the paragraph before them.
func paragraphs(text string) []string {
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.TrimSpace(l) == "":
		case len(out) > 0 && lineItem.MatchString(l):
			out[len(out)-1] += "\n" + l
		default:
			out = append(out, l)
		}
	}
	return out
}

// items returns the numbers of the items that stand in a text.
func items(text string) map[int]bool {
	found := map[int]bool{}
	for _, m := range itemLabel.FindAllStringSubmatch(text, -1) {
		if n, err := statute.ParseNumeral(m[1]); err == nil {
			found[n] = true
		}
	}
	return found
}

// missingPlace names the first of the places that an article doesn't have, "" when
// it has them all. An item without paragraph may be in any; an article whose items
// are not numbered in brackets can't be judged.
func missingPlace(text string, places []statute.Place) string {
	if len(places) == 0 {
		return ""
	}
	ps := paragraphs(text)
	all := items(text)
	for _, p := range places {
		last := max(p.Paragraph, p.ToParagraph)
		if last > maxParagraph {
			continue
		}
		if last > len(ps) {
			return ordinal(last, "款") + fmt.Sprintf("（共%d款）", len(ps))
		}
		in := all
		if p.Paragraph > 0 && p.ToParagraph == 0 {
			in = items(ps[p.Paragraph-1])
		}
		item := max(p.Item, p.ToItem)
		if item == 0 || in[item] || len(all) == 0 && strings.Count(strings.TrimSpace(text), "\n") >= len(ps) {
			continue
		}
		if p.Paragraph > 0 {
			return ordinal(p.Paragraph, "款") + ordinal(item, "项")
		}
		return ordinal(item, "项")
	}
	return ""
}

// ordinal prints 第二款 and 第三项.
func ordinal(n int, unit string) string {
	s, err := statute.Numeral(n)
	if err != nil {
		s = strconv.Itoa(n)
	}
	return "第" + s + unit
}
