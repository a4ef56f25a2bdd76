package corpus

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"lexagent/statute"
)

// event is a dated act in a law's life, as its header tells it: 2018年12月29日
// 第十三届全国人民代表大会常务委员会第七次会议第二次修正.
type event struct {
	day statute.Date
	act string // the text up to the next date
}

var (
	dayPattern = regexp.MustCompile(`([0-9０-９]{4}|[一二][〇○零ＯO0一二三四五六七八九]{3})\s*年\s*([0-9０-９]{1,2}|[一二三四五六七八九十]{1,3})\s*月\s*([0-9０-９]{1,2}|[一二三四五六七八九十]{1,3})\s*日`)
	fromDay    = regexp.MustCompile(`自\s*(` + dayPattern.String() + `)\s*起?\s*(施行|实施|执行|生效|实行)`)
	fromNow    = regexp.MustCompile(`自(公布|发布|通过|颁布|印发|下发)之日起?(施行|实施|执行|生效|实行)`)
	fileDay    = regexp.MustCompile(`(\d{4})-(\d{2})-(\d{2})`)
	fileTail   = regexp.MustCompile(`\s*[(（]\d{4}-\d{2}-\d{2}[)）]$`)
	// An adoption or an amendment makes a version; 批准 and 公布 only complete one,
	// and count when the header has nothing better. Two bodies may adopt on two
	// days, and then 通过 stands only behind the second: …第1811次会议、….
	makesVersion = regexp.MustCompile(`通过|修正|修订|修改|决定》|会议[、，\s]*$`)
	completes    = regexp.MustCompile(`批准|公布|发布|公告|颁布|印发`)
	takesEffect  = regexp.MustCompile(`^[\s起]*(施行|实施|生效|执行)`)
	ends         = regexp.MustCompile(`废止|失效`)
	session      = regexp.MustCompile(`第[〇零一二三四五六七八九十百\d]+届`)
	issuerEnd    = regexp.MustCompile(`第[〇零一二三四五六七八九十百\d]+|部长办公|部务|常务会议|令|公告|文件|通过|批准|公布|发布|修[正订改]|颁布|会议|[（(《〈]`)
)

// events finds the dated acts in the lines of a header.
func events(lines []string) []event {
	var out []event
	for _, line := range lines {
		at := dayPattern.FindAllStringSubmatchIndex(line, -1)
		for i, m := range at {
			day := dayOf(line[m[2]:m[3]], line[m[4]:m[5]], line[m[6]:m[7]])
			end := len(line)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			if !day.IsZero() {
				out = append(out, event{day, trim(line[m[1]:end])})
			}
		}
	}
	return out
}

// dayOf reads a date written in digits or in Chinese numerals; zero when the
// calendar has no such day.
func dayOf(year, month, day string) statute.Date {
	y, err1 := statute.ParseNumeral(strings.NewReplacer("Ｏ", "〇", "O", "〇").Replace(year))
	m, err2 := statute.ParseNumeral(month)
	d, err3 := statute.ParseNumeral(day)
	if err1 != nil || err2 != nil || err3 != nil {
		return 0
	}
	date, err := statute.NewDate(y, m, d)
	if err != nil {
		return 0
	}
	return date
}

// dateLaw fills in the dates that header and file name tell, and the version.
// The version stays "" when they tell none.
func dateLaw(law *statute.Law, header []string, path string) {
	law.Header = strings.Join(header, "\n")
	var first, made, completed statute.Date
	for _, e := range events(header) {
		switch {
		case takesEffect.MatchString(e.act):
			law.Effective = e.day
			continue
		case ends.MatchString(e.act) && !makesVersion.MatchString(e.act):
			law.Ended = e.day
			continue
		case makesVersion.MatchString(e.act):
			made = max(made, e.day)
		case completes.MatchString(e.act):
			completed = max(completed, e.day)
		}
		if first.IsZero() {
			first = e.day
		}
	}
	law.Published = first
	version := made
	if version.IsZero() {
		version = max(completed, first)
	}
	if day, bracketed := dayInName(path); !day.IsZero() && (version.IsZero() || bracketed && day >= first) {
		version = day
	}
	if law.Published.IsZero() {
		law.Published = version
	}
	law.Version = version.String()
}

// dayInName returns the date in a file's name, and whether it closes the name in
// brackets: 劳动法(2018-12-29).md.
func dayInName(path string) (day statute.Date, bracketed bool) {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	m := fileDay.FindAllStringSubmatch(name, -1)
	if m == nil {
		return 0, false
	}
	last := m[len(m)-1]
	y, _ := strconv.Atoi(last[1]) // \d{4} and \d{2} always convert
	mo, _ := strconv.Atoi(last[2])
	d, _ := strconv.Atoi(last[3])
	day, err := statute.NewDate(y, mo, d)
	if err != nil {
		return 0, false
	}
	return day, fileTail.MatchString(name)
}

// titleInName returns the file's name without extension and date.
func titleInName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if t := fileTail.ReplaceAllString(name, ""); t != "" {
		return t
	}
	return name
}

// issuerOf returns the body named in a header as having adopted the law, without
// the number of its term: 全国人民代表大会常务委员会. "" when none is named.
func issuerOf(header []string) string {
	for _, e := range events(header) {
		act := session.ReplaceAllString(strings.TrimPrefix(e.act, "经"), "")
		end := issuerEnd.FindStringIndex(act)
		if end == nil || end[0] == 0 {
			continue
		}
		name := trim(act[:end[0]])
		name = strings.TrimSuffix(strings.TrimSuffix(name, "审判委员会"), "检察委员会")
		if name = strings.Trim(name, "、，,　 "); name != "" {
			return name
		}
	}
	return ""
}

// effectiveInText finds the first day in force in the closing units of a text:
// 本法自2021年1月1日起施行. adopted stands in for 自公布之日起.
func effectiveInText(units []statute.Unit, adopted statute.Date) statute.Date {
	const closing = 6 // how many units from the end are looked at
	seen := 0
	for i := len(units) - 1; i >= 0 && seen < closing; i-- {
		if units[i].Kind == statute.Attachment {
			continue
		}
		seen++
		if m := fromDay.FindStringSubmatch(units[i].Text); m != nil {
			if day := dayOf(m[2], m[3], m[4]); !day.IsZero() {
				return day
			}
		}
		if fromNow.MatchString(units[i].Text) {
			return adopted
		}
	}
	return 0
}
