package corpus

import (
	"regexp"
	"strings"

	"lexagent/statute"
)

const numerals = `[〇○零一二三四五六七八九十百千\d０-９]+`

var (
	divisionHead   = regexp.MustCompile(`^第[\s\pZ]*` + numerals + `[\s\pZ]*(编|分编|章|节)(?:[\s\pZ]+|$)`)
	itemHead       = regexp.MustCompile(`^([〇零一二三四五六七八九十百]+)、`)
	bareItem       = regexp.MustCompile(`^([一二三四五六七八九十百]+)$`)
	attachmentHead = regexp.MustCompile(`^(附[\s\pZ]*[件表录图]?[\s\pZ]*(?:[一二三四五六七八九十\d０-９]+(?:[-－.．][\d０-９]+)*)?)(?:[：:\s\pZ]|$)`)
	preambleHead   = regexp.MustCompile(`^(序[\s\pZ]*言|前[\s\pZ]*言|引[\s\pZ]*言|序|导[\s\pZ]*言)$`)
	namedHead      = regexp.MustCompile(`^(总[\s\pZ]*则|附[\s\pZ]*则|[序前引][\s\pZ]*言)$`)
	contentsHead   = regexp.MustCompile(`^目[\s\pZ]*录$`)
	contentsDots   = regexp.MustCompile(`[.．…·\s\pZ]*\d*$`)
)

// form is what a text is made of, which decides what counts as the head of a unit.
type form int

const (
	ofArticles form = iota // 第一条 …
	ofItems                // 一、 二、 without articles
	ofSections             // headed passages
	asWhole                // none of these
)

// headRank orders the divisions that have a name of their own; 0 for other headings.
var headRank = map[string]int{"编": 1, "分编": 2, "章": 3, "节": 4}

// rankOf returns the rank of a 编, 分编, 章 or 节 heading, 0 for other text. In a
// paragraph a long or punctuated line isn't a heading but a sentence.
func rankOf(b block) int {
	m := divisionHead.FindStringSubmatch(b.text)
	if m == nil || b.table > 0 || b.depth == 0 && (len(b.text) > 120 || strings.ContainsAny(b.text, "。；，：")) {
		return 0
	}
	return headRank[m[1]]
}

// isHeading reports whether the block heads others. 附则 and the like stand alone
// on their line even where the source forgot to mark them.
func isHeading(b block) bool {
	return b.rest == "" && b.table == 0 && (b.depth > 0 || rankOf(b) > 0 || namedHead.MatchString(b.text))
}

// articleOf reads the block as the head of an article.
func articleOf(b block) (statute.LineLabel, bool) {
	if b.rest != "" || b.table > 0 || !strings.HasPrefix(b.text, "第") {
		return statute.LineLabel{}, false
	}
	l, ok := statute.LeadingLabel(b.text)
	return l, ok && l.Heads()
}

// itemOf reads the block as the head of a numbered item. label is 一、, rest the
// text behind it. A heading may lack the mark (## 三).
func itemOf(b block) (number int, label, rest string, ok bool) {
	if b.rest != "" || b.table > 0 {
		return 0, "", "", false
	}
	m := itemHead.FindStringSubmatch(b.text)
	if m == nil && b.depth > 0 {
		if m = bareItem.FindStringSubmatch(b.text); m != nil {
			m[0] += "、"
		}
	}
	if m == nil {
		return 0, "", "", false
	}
	n, err := statute.ParseNumeral(m[1])
	if err != nil {
		return 0, "", "", false
	}
	return n, m[0], strings.TrimPrefix(strings.TrimPrefix(b.text, m[1]), "、"), true
}

// attachmentOf reads the block as the head of an attachment; rest is its title.
func attachmentOf(b block) (label, rest string, ok bool) {
	if b.rest != "" || b.table > 0 {
		return "", "", false
	}
	m := attachmentHead.FindStringSubmatch(b.text)
	if m == nil || strings.HasPrefix(b.text, "附 则") {
		return "", "", false
	}
	label = squeeze(m[1])
	if label == "附" && !strings.HasPrefix(b.text[len(m[1]):], "：") && !strings.HasPrefix(b.text[len(m[1]):], ":") && b.text != m[1] {
		return "", "", false // 附 followed by a space may be anything
	}
	return label, strings.TrimLeft(b.text[len(m[1]):], "：: \t　"), true
}

// formOf decides what the body is made of. A decision that quotes the articles it
// amends is made of items; a commentary that quotes an article under headings of
// its own, of sections.
func formOf(body []block) form {
	articles, items, named, divisions, firstNumber := 0, 0, 0, 0, 0
	itemFirst := false
	for _, b := range body {
		if _, _, ok := attachmentOf(b); ok && articles+items > 0 {
			break
		}
		if l, ok := articleOf(b); ok {
			if articles == 0 {
				itemFirst, firstNumber = items > 0 && named == 0, l.Number
			}
			articles++
		} else if _, _, _, ok := itemOf(b); ok {
			items++
		} else if isHeading(b) && rankOf(b) == 0 && !preambleHead.MatchString(b.text) && !namedHead.MatchString(b.text) {
			named++
		} else if isHeading(b) && rankOf(b) > 0 {
			divisions++
		}
	}
	switch {
	case articles > 0 && firstNumber != 1 && (itemFirst || divisions == 0 && named > articles):
	case articles > 0:
		return ofArticles
	}
	switch {
	case named+divisions > 0:
		return ofSections
	case items > 0:
		return ofItems
	}
	return asWhole
}

// itemDepth is the depth of a heading 一、 that a source doesn't mark.
const itemDepth = 7

// itemHeadings marks 一、管辖 as a heading where it stands above articles, as in many
// judicial interpretations: a short line without an end, in sequence, two of them at
// least, each before an article. Lines with the same text, of a table of contents,
// are marked with them.
func itemHeadings(body []block) []block {
	found := map[string]bool{}
	for i, b := range body[:max(0, len(body)-1)] {
		n, _, rest, ok := itemOf(b)
		if !ok || b.depth > 0 || n != len(found)+1 || len(rest) > 120 || strings.ContainsAny(b.text, "。；：，") {
			continue
		}
		if _, ok := articleOf(body[i+1]); ok {
			found[contentsKey(b)] = true
		}
	}
	if len(found) < 2 {
		return body
	}
	body = append([]block(nil), body...)
	for i, b := range body {
		if b.depth == 0 && found[contentsKey(b)] {
			body[i].depth = itemDepth
		}
	}
	return body
}

// recognise makes a document of the blocks of a text source.
func recognise(src *source) *Document {
	doc := structure(src)
	finish(doc)
	return doc
}

// structure finds the law and the units in a source; ids are still to be given.
func structure(src *source) *Document {
	doc := &Document{Source: src.path, Notes: src.notes}
	cov := &doc.Coverage
	cov.Chars = src.markup
	for _, b := range src.blocks {
		cov.Chars += chars(b.text)
		if b.rest != "" {
			cov.Rest = append(cov.Rest, Span{b.line, chars(b.text), b.rest})
		}
	}
	if src.markup > 0 {
		cov.Rest = append(cov.Rest, Span{Chars: src.markup, Why: "markup"})
	}
	head := splitHead(src)
	cov.InHeadings += head.titleChars
	cov.Rest = append(cov.Rest, head.rest...)
	body := markNumbered(skipTitle(skipContents(itemHeadings(head.body), cov), head.title, cov))
	w := &writer{doc: doc, form: formOf(body), title: squeeze(head.title)}
	if head.part != "" {
		w.path = []heading{{text: head.part, rank: -1}}
	}
	w.body(body)
	w.audit(body)
	doc.Law = statute.Law{Title: head.title, Issuer: issuerOf(head.lines)}
	dateLaw(&doc.Law, head.lines, src.path)
	describe(&doc.Law, strings.Join(head.lines, "\n"))
	if len(doc.Units) == 0 {
		doc.note("there is a title and no text")
	}
	return doc
}
