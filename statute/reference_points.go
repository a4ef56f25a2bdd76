package statute

// Bounds of one list; longer ones are read in several pieces.
const (
	maxPoints = 200
	maxPlaces = 100
)

var (
	listMarks  = []string{"、", "，", ", ", ",", "和第", "或者第", "或第", "与第", "以及第", "及第", "及其第", "并第", "；第", "／", "/", "和", "或者", "或", "与", "以及", "及"}
	rangeMarks = []string{"至", "到", "—", "–", "-", "－", "~", "～", "～"}
)

// listMark passes over what parts two members of a list: 、 和 或者. The 第 of the
// next member stays.
func (s *scanner) listMark(i int) int {
	j := s.skipSpace(i)
	for _, w := range listMarks {
		if end := s.anyOf(j, []string{w}); end > j {
			if s.runeAt(end-1) == '第' {
				end--
			}
			return s.skipSpace(end)
		}
	}
	return i
}

// numeral reads a number at i, blanks around it allowed.
func (s *scanner) numeral(i int) (n, end int, ok bool) {
	i = s.skipSpace(i)
	j, last := i, i
	for j < len(s.runes) && j < i+maxNumeralRunes {
		switch {
		case isNumeralRune(s.runes[j]):
			j++
			last = j
		case j > i && (s.runes[j] == ' ' || s.runes[j] == '　'):
			j++
		default:
			j = len(s.runes)
		}
	}
	n, err := ParseNumeral(s.slice(i, last))
	return n, last, err == nil
}

// beyond reads a number that no article has, so that a citation of it is seen: 10770,
// 一万零七十.
func (s *scanner) beyond(i int) (n, end int, ok bool) {
	const most = 999_999
	end, myriads := i, false
	for end < len(s.runes) && end < i+maxNumeralRunes {
		r := s.runes[end]
		if d, isDigit := digitValue(r); isDigit {
			n = min(n*10+d, most)
		} else if r == '万' {
			myriads = true
		} else if !isNumeralRune(r) {
			break
		}
		end++
	}
	if myriads {
		n = maxNumeral + 1
	}
	return n, end, n > maxNumeral
}

// article reads 第N条 or 第N条之M at i. Without 第 only where a law's name or a list
// stands before it (bare).
func (s *scanner) article(i int, bare bool) (p Point, end int, ok bool) {
	start := s.skipSpace(i)
	j := start
	if s.runeAt(j) == '第' {
		j++
	} else if !bare {
		return Point{}, i, false
	}
	n, after, ok := s.numeral(j)
	if !ok || s.runeAt(after) == '万' {
		n, after, ok = s.beyond(j)
	}
	if !ok {
		return Point{}, i, false
	}
	j = s.skipSpace(after)
	if s.runeAt(j) != '条' || !s.articleWord(j+1) {
		return Point{}, i, false
	}
	p = Point{Number: n}
	p.Sub, end = s.subNumber(j + 1)
	p.Start, p.End = s.at[start], s.at[end]
	return p, end, true
}

// subNumber reads 之M at i.
func (s *scanner) subNumber(i int) (sub, end int) {
	if s.runeAt(i) != '之' {
		return 0, i
	}
	n, end, ok := s.numeral(i + 1)
	if !ok || s.runeAt(i+1) == ' ' || n > 99 {
		return 0, i
	}
	return n, end
}

// articleWord reports whether the 条 before i is the word for an article and not
// the head of 条例, 条约, 条款, 条件. 例外 and 约定 may follow an article.
func (s *scanner) articleWord(i int) bool {
	switch s.runeAt(i) {
	case '例':
		return s.runeAt(i+1) == '外'
	case '约':
		return s.runeAt(i+1) == '定' || s.runeAt(i+1) == '束'
	case '款', '件', '线', '街', '船', '鱼', '腿', '狗':
		return false
	case '道':
		return s.runeAt(i+1) != '路'
	case '路':
		return s.runeAt(i+1) != '径'
	}
	return true
}

// sharedWord reads numbers that share one 条 at the end: 第三十七、三十八条,
// 第37-39条, 第一至第三条.
func (s *scanner) sharedWord(i int, bare bool) (points []Point, end int, ok bool) {
	start := s.skipSpace(i)
	if s.runeAt(start) != '第' && !bare {
		return nil, i, false
	}
	ranged := false
	for j := start; len(points) < maxPoints; {
		head := j
		if s.runeAt(j) == '第' {
			j++
		}
		n, next, ok := s.numeral(j)
		if !ok {
			return nil, i, false
		}
		if ranged {
			points[len(points)-1].ToNumber, points[len(points)-1].End = n, s.at[next]
		} else {
			points = append(points, Point{Number: n, Start: s.at[head], End: s.at[next]})
		}
		j = s.skipSpace(next)
		if s.runeAt(j) == '条' {
			points[len(points)-1].End = s.at[j+1]
			return points, j + 1, s.articleWord(j+1) && (len(points) > 1 || ranged)
		}
		after := s.anyOf(j, rangeMarks)
		if ranged = after > j && !ranged; !ranged {
			if after = s.anyOf(j, []string{"、", "和", "或者", "或", "及", "与", ","}); after == j {
				return nil, i, false
			}
		}
		j = s.skipSpace(after)
	}
	return nil, i, false
}

// points reads a list of articles with their 款 and 项 at i. bare tells that a
// law's name stands before it, so that the first 第 may be missing.
func (s *scanner) points(i int, bare bool) (list []Point, end int) {
	end = i
	for j := i; len(list) < maxPoints; {
		if shared, after, ok := s.sharedWord(j, bare); ok {
			list, end = append(list, shared...), after
		} else if p, after, ok := s.article(j, bare); ok {
			p.Places, after = s.places(after)
			p, after = s.rangeEnd(p, after)
			p.End = s.at[after]
			list, end = append(list, p), after
		} else {
			return list, end
		}
		next := s.listMark(end)
		if next == end {
			return list, end
		}
		bare = s.runeAt(next-1) == '、' || s.runeAt(next-1) == '和'
		j = next
	}
	return list, end
}

// rangeEnd reads 至第M条 after an article.
func (s *scanner) rangeEnd(p Point, i int) (Point, int) {
	j := s.skipSpace(i)
	after := s.anyOf(j, rangeMarks)
	if after == j {
		return p, i
	}
	q, end, ok := s.article(after, true)
	if !ok {
		return p, i
	}
	p.ToNumber, p.ToSub = q.Number, q.Sub
	places, after := s.places(end)
	if len(places) > 0 { // 第五条至第八条第二款: the paragraphs are the last article's
		p.Places, end = append(p.Places, places...), after
	}
	return p, end
}

// places reads a list of 款 and 项 at i: 第一款第（三）项, 第（一）、（二）项,
// 第二款至第五款, 前三款.
func (s *scanner) places(i int) (list []Place, end int) {
	end = i
	j := s.skipSpace(s.anyOf(s.skipSpace(i), []string{"中的", "中", "的"}))
	joined := true // nothing parts it from what stands before
	for len(list) < maxPlaces {
		numbers, unit, after, ok := s.placeNumbers(j, len(list) == 0)
		if !ok {
			return list, end
		}
		list, end = appendPlaces(list, numbers, unit, joined), after
		j = s.skipSpace(after)
		joined = s.runeAt(j) == '第' || s.isOpenBracket(j)
		if joined {
			continue
		}
		if next := s.anyOf(j, rangeMarks); next > j {
			if to, toUnit, after, ok := s.placeNumbers(next, false); ok && toUnit == unit {
				list, end = closeRange(list, to[0], unit), after
				j = after
				joined = s.runeAt(j) == '第'
				if joined {
					continue
				}
			}
		}
		next := s.listMark(j)
		if next == j {
			return list, end
		}
		j = next
	}
	return list, end
}

func (s *scanner) isOpenBracket(i int) bool {
	r := s.runeAt(i)
	return r == '（' || r == '('
}

// span is a number or, with to > 0, the numbers from one to another.
type span struct{ from, to int }

// placeNumbers reads 第N款, 第（N）项, numbers that share one 款 or 项 (第一、二款,
// 第（二）至第（六）项), 前N款 (first only: the first N), and （N） right behind an
// article.
func (s *scanner) placeNumbers(i int, first bool) (numbers []span, unit rune, end int, ok bool) {
	if first && s.runeAt(i) == '前' {
		n, j, ok := s.numeral(i + 1)
		if ok && n > 1 && (s.runeAt(j) == '款' || s.runeAt(j) == '项') {
			return []span{{1, n}}, s.runeAt(j), j + 1, true
		}
		return nil, 0, i, false
	}
	if s.runeAt(i) != '第' && !s.isOpenBracket(i) {
		return nil, 0, i, false
	}
	ranged := false
	for j := i; len(numbers) < maxPlaces; {
		n, next, bracket, ok := s.bracketed(j)
		if !ok {
			return nil, 0, i, false
		}
		if ranged {
			numbers[len(numbers)-1].to = n
		} else {
			numbers = append(numbers, span{from: n})
		}
		j = s.skipSpace(next)
		if r := s.runeAt(j); r == '款' && s.runeAt(j+1) != '项' || r == '项' && s.runeAt(j+1) != '目' || r == '目' {
			return numbers, r, j + 1, true
		}
		if bracket && len(numbers) == 1 && s.runeAt(i) != '第' { // 第十一条（四）
			if r := s.runeAt(j); !isHan(r) || r == '所' || r == '规' || r == '的' {
				return numbers, '项', next, true
			}
		}
		after := s.anyOf(j, rangeMarks)
		if ranged = after > j && !ranged; !ranged {
			if after = s.anyOf(j, []string{"、", "和", "或者", "或", "及", "与", "，", ","}); after == j {
				return nil, 0, i, false
			}
		}
		j = s.skipSpace(after)
	}
	return nil, 0, i, false
}

// bracketed reads 第N, 第（N）, （N） or N at i.
func (s *scanner) bracketed(i int) (n, end int, bracket, ok bool) {
	if s.runeAt(i) == '第' {
		i = s.skipSpace(i + 1)
	}
	if bracket = s.isOpenBracket(i); bracket {
		i++
	}
	n, end, ok = s.numeral(i)
	if !ok || n > 999 {
		return 0, i, false, false
	}
	if bracket {
		end = s.skipSpace(end)
		if r := s.runeAt(end); r != '）' && r != ')' {
			return 0, i, false, false
		}
		end++
	}
	return n, end, bracket, true
}

// appendPlaces adds numbers of 款 or 项. 项 right behind a 款 are that paragraph's;
// behind other 项 they are of the same paragraph as those.
func appendPlaces(list []Place, numbers []span, unit rune, joined bool) []Place {
	if unit == '目' {
		return list // finer than a Place tells
	}
	for k, n := range numbers {
		if unit == '款' {
			list = append(list, Place{Paragraph: n.from, ToParagraph: n.to})
			continue
		}
		last := len(list) - 1
		switch {
		case last >= 0 && joined && k == 0 && list[last].Item == 0:
			list[last].Item, list[last].ToItem = n.from, n.to
		case last >= 0 && list[last].Item > 0:
			list = append(list, Place{Paragraph: list[last].Paragraph, Item: n.from, ToItem: n.to})
		default:
			list = append(list, Place{Item: n.from, ToItem: n.to})
		}
	}
	return list
}

// closeRange makes the last place a range up to to.
func closeRange(list []Place, to span, unit rune) []Place {
	if last := len(list) - 1; last >= 0 && unit == '款' {
		list[last].ToParagraph = to.from
	} else if last >= 0 && unit == '项' {
		list[last].ToItem = to.from
	}
	return list
}
