package corpus

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageFrame is the reason for what surrounds the text on a page.
const pageFrame = "page frame"

// frameNames are words in class or id by which pages mark what surrounds the text.
var frameNames = map[string]bool{
	"nav": true, "navbar": true, "navigation": true, "menu": true, "breadcrumb": true, "breadcrumbs": true, "crumb": true,
	"crumbs": true, "footer": true, "foot": true, "sidebar": true, "share": true, "sharebox": true, "toolbar": true,
	"copyright": true, "topbar": true, "pagination": true, "pager": true, "related": true, "comments": true,
	"print": true, "qrcode": true, "weizhi": true, "dqwz": true, "bshare": true, "jiathis": true,
}

var (
	anArticle = regexp.MustCompile(`第[〇零一二三四五六七八九十百千\d]+条`)
	// control is a line by which a page serves its visitor, or tells of itself.
	control = regexp.MustCompile(`^[【\[（(]?\s*(?:打印(?:本页|此页|页面)?|关闭(?:窗口|本页)?|返回(?:顶部|首页|列表)?|(?:我要)?纠错|收藏|分享(?:到.*)?|扫一扫.*|首页|(?:当前|您(?:现在)?(?:所在)?的?)位置\s*[:：].*|责任编辑\s*[:：].*|来源\s*[:：].*|(?:发布|发文|浏览)(?:时间|日期|次数)\s*[:：].*|字(?:号|体)\s*[:：].*|浏览(?:次数|量)?\s*[:：].*|上一篇\s*[:：]?.*|下一篇\s*[:：]?.*|版权所有.*|.{0,3}ICP备.*|京公网安备.*)\s*[】\])）]?$`)
)

// controlLines is how many lines at each end of a page may be controls.
const controlLines = 15

// frameOf returns pageFrame when an element surrounds the text: by its name, its
// role, or words in its class or id. One that has an article in it never does.
func frameOf(n *html.Node) string {
	switch n.DataAtom {
	case atom.Body, atom.Html, atom.Article, atom.Main:
		return ""
	case atom.Nav, atom.Footer, atom.Aside, atom.Button, atom.Select:
	default:
		if !namedFrame(n) {
			return ""
		}
	}
	const most = 3000
	if text := textOf(n); anArticle.MatchString(text) || chars(text) > most {
		return ""
	}
	return pageFrame
}

func namedFrame(n *html.Node) bool {
	switch attr(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search", "menu", "toolbar":
		return true
	}
	split := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range strings.FieldsFunc(attr(n, "class")+" "+attr(n, "id"), split) {
		if frameNames[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

// frame finds the title and marks what stands before it, and the lines about it, as
// no part of the law.
func frame(src *source, p *page) {
	first, last := -1, -1 // block with the first, the last head of a unit
	for i, b := range src.blocks {
		_, article := articleOf(b)
		_, _, _, item := itemOf(b)
		if article || item || rankOf(b) > 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	top := len(src.blocks)
	if first >= 0 {
		top = first
	}
	at := titleBlock(src.blocks[:top], p.title, topDepth(src.blocks))
	mark := func(i int) {
		if src.blocks[i].rest == "" {
			src.blocks[i].rest = pageFrame
		}
	}
	for i := range max(at, 0) {
		mark(i)
	}
	liftHeadings(src.blocks, at)
	for i, b := range src.blocks {
		ends := i < max(at, 0)+controlLines || i >= len(src.blocks)-controlLines
		_, _, attached := attachmentOf(b)
		switch {
		case i == at || b.rest != "":
		case ends && utf8.RuneCountInString(b.text) < 120 && control.MatchString(b.text):
			mark(i)
		case p.linked[i] && last >= 0 && i > last && !attached && b.depth == 0 && utf8.RuneCountInString(b.text) < 60:
			mark(i)
		}
	}
	if at < 0 {
		nameByPage(src, p.title)
	}
}

// topDepth returns the depth of the highest heading.
func topDepth(blocks []block) int {
	top := 7
	for _, b := range blocks {
		if b.rest == "" && b.depth > 0 {
			top = min(top, b.depth)
		}
	}
	return top
}

// titleBlock finds the law's title among the blocks before the text: the longest
// that the page's own title has in it, or the first heading of the highest depth;
// -1 = none.
func titleBlock(blocks []block, pageTitle string, top int) int {
	const shortest = 4
	at, longest, heading := -1, shortest-1, -1
	pageTitle = squeeze(pageTitle)
	for i, b := range blocks {
		if b.rest != "" {
			continue
		}
		s := squeeze(b.text)
		if n := utf8.RuneCountInString(s); n > longest && strings.Contains(pageTitle, s) {
			at, longest = i, n
		}
		if heading < 0 && b.depth == top && rankOf(b) == 0 {
			heading = i
		}
	}
	if at < 0 || heading >= 0 && !strings.HasPrefix(pageTitle, squeeze(blocks[at].text)) {
		return heading
	}
	return at
}

// liftHeadings gives the title depth 1 and the headings below it depths from 2 on.
func liftHeadings(blocks []block, title int) {
	highest := 7
	for i, b := range blocks {
		if b.rest == "" && b.depth > 0 && i != title {
			highest = min(highest, b.depth)
		}
	}
	if title < 0 {
		return
	}
	for i := range blocks {
		if b := &blocks[i]; i == title {
			b.depth = 1
		} else if b.depth > 0 && highest > 2 {
			b.depth -= highest - 2
		}
	}
}

// nameByPage takes the page's own title where the text begins without one.
func nameByPage(src *source, title string) {
	for _, b := range src.blocks {
		if b.rest == "" {
			if !titleLike(b) || isHeading(b) && b.depth == 0 {
				name, _, _ := strings.Cut(title, "_")
				src.title = trim(name)
			}
			return
		}
	}
}
