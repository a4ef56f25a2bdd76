package corpus

import (
	"regexp"
	"strconv"
	"strings"
)

// value is an element with its value in an attribute: <w:start w:val="1"/>.
type value struct {
	Val string `xml:"val,attr"`
}

// number returns the value, and or where there is none.
func (v *value) number(or int) int {
	if v == nil {
		return or
	}
	n, err := strconv.Atoi(v.Val)
	if err != nil {
		return or
	}
	return n
}

// on reads a property that is on by being there.
func (v *value) on() bool { return v != nil && onValue(v.Val) }

// listRef names the list and the level that a paragraph is numbered by.
type listRef struct {
	Level *value `xml:"ilvl"`
	List  *value `xml:"numId"`
}

// style is what a reader needs of an entry of styles.xml.
type style struct {
	ID      string `xml:"styleId,attr"`
	Type    string `xml:"type,attr"`
	Default string `xml:"default,attr"`
	Name    value  `xml:"name"`
	BasedOn value  `xml:"basedOn"`
	Para    struct {
		Outline *value   `xml:"outlineLvl"`
		Numbers *listRef `xml:"numPr"`
		Align   *value   `xml:"jc"`
	} `xml:"pPr"`
	Run struct {
		Hidden *value `xml:"vanish"`
	} `xml:"rPr"`
}

// styles are the styles of a document by their id, and the id of the paragraph
// style that holds where none is named.
type styles struct {
	byID    map[string]*style
	initial string
}

func readStyles(z *docxZip) (*styles, error) {
	var doc struct {
		Style []style `xml:"style"`
	}
	if err := z.decode("word/styles.xml", &doc); err != nil {
		return nil, err
	}
	s := &styles{byID: map[string]*style{}}
	for i := range doc.Style {
		st := &doc.Style[i]
		s.byID[st.ID] = st
		if st.Type == "paragraph" && st.Default != "" && onValue(st.Default) {
			s.initial = st.ID
		}
	}
	return s, nil
}

// chain lists a style and those it is based on, nearest first.
func (s *styles) chain(id string) []*style {
	var out []*style
	const deepest = 20 // also ends a circle
	for st := s.byID[id]; st != nil && len(out) < deepest; st = s.byID[st.BasedOn.Val] {
		out = append(out, st)
	}
	return out
}

var headingName = regexp.MustCompile(`^(?i:heading|标题)\s*([1-9])$`)

// depth returns the heading depth that a paragraph style stands for: 1 for a
// title, 2 for a heading of the first level, 0 for text.
func (s *styles) depth(id string) int {
	for _, st := range s.chain(id) {
		name := strings.TrimSpace(st.Name.Val)
		if strings.EqualFold(name, "title") || name == "标题" {
			return 1
		}
		if m := headingName.FindStringSubmatch(name); m != nil {
			return int(m[1][0]-'0') + 1
		}
		if st.Para.Outline != nil {
			return outlineDepth(st.Para.Outline.number(9))
		}
	}
	return 0
}

// outlineDepth turns an outline level, 0–8 for headings, into a depth.
func outlineDepth(level int) int {
	if level < 0 || level > 8 {
		return 0
	}
	return level + 2
}

// hidden reports whether the style hides its text.
func (s *styles) hidden(id string) bool {
	for _, st := range s.chain(id) {
		if st.Run.Hidden != nil {
			return st.Run.Hidden.on()
		}
	}
	return false
}

// centred reports whether the style centres its paragraphs.
func (s *styles) centred(id string) bool {
	for _, st := range s.chain(id) {
		if st.Para.Align != nil {
			return st.Para.Align.Val == "center"
		}
	}
	return false
}

// isContents reports whether the style is one of a table of contents.
func (s *styles) isContents(id string) bool {
	st := s.byID[id]
	return st != nil && len(st.Name.Val) == len("toc 1") && strings.EqualFold(st.Name.Val[:4], "toc ")
}

// numbers returns the list that a paragraph style numbers by, and the style in
// the chain that says so; "" and nil when there is none.
func (s *styles) numbers(id string) (list string, level *value, from string) {
	for _, st := range s.chain(id) {
		n := st.Para.Numbers
		if n == nil {
			continue
		}
		if level == nil {
			level = n.Level
		}
		if n.List != nil {
			return n.List.Val, level, st.ID
		}
	}
	return "", nil, ""
}
