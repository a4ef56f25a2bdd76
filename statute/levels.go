package statute

import (
	"regexp"
	"strings"
)

// LevelOf tells a law's place in the hierarchy (LexPath § 3.3) from its title, the
// body that issued it, and its header lines (when it was passed, by whom, under
// which order number); issuer and header may be "". The same words, 办法, 规定,
// 细则, 条例, stand on several levels, so the body decides where it is named, and
// the form of the title only where it is not.
func LevelOf(title, issuer, header string) Level {
	t := strings.ReplaceAll(ShortTitle(title), country, "")
	head := issuer + "\n" + header
	switch {
	case t == "宪法" || strings.HasPrefix(t, "宪法修正案"):
		return Constitution
	case !endsLikeNorm(t):
		return OtherDocument
	case judicialTitle.MatchString(t) || judicialHeader.MatchString(head) && !congressHeader.MatchString(head):
		return JudicialInterpretation
	case localHeader.MatchString(head), Region(title, "") != "" && !councilHeader.MatchString(head):
		return localLevel(t, head)
	case strings.HasPrefix(t, "全国人民代表大会") || congressHeader.MatchString(head):
		return PrimaryStatute
	case strings.HasPrefix(t, "国务院") || councilHeader.MatchString(head):
		return AdministrativeRegulation
	case departmentHeader.MatchString(head):
		return Rule
	case localTitle.MatchString(t):
		return localLevel(t, head)
	}
	return levelByForm(t, strings.HasPrefix(strings.Trim(title, " 《"), country))
}

// localLevel parts local regulations, made by people's congresses, from the rules
// of local governments (人民政府令).
func localLevel(title, head string) Level {
	governed := localGovernment.MatchString(head) && !strings.Contains(head, "人民代表大会")
	if governed && !strings.Contains(title, "人民代表大会") {
		return Rule
	}
	return LocalRegulation
}

// levelByForm is what the title's last word says when nobody is named. 条例 below
// 中华人民共和国 or alone is the State Council's; 办法, 规定 and the like are a
// department's, unless 中华人民共和国 stands before them.
func levelByForm(title string, national bool) Level {
	title = ordinalEnd.ReplaceAllString(title, "")
	switch {
	case strings.HasSuffix(title, "法"), strings.HasSuffix(title, "法典"), strings.HasSuffix(title, "刑法修正案"):
		if !strings.HasSuffix(title, "办法") {
			return PrimaryStatute
		}
	case strings.HasSuffix(title, "条例"):
		return AdministrativeRegulation
	case strings.HasSuffix(title, "解释"), strings.HasSuffix(title, "批复"):
		return JudicialInterpretation
	}
	if national {
		return AdministrativeRegulation
	}
	return Rule
}

// endsLikeNorm reports whether a title is that of a legal norm rather than of a
// court case, a guide or a technical standard.
func endsLikeNorm(title string) bool {
	for _, ending := range []string{"标准", "方法", "裁判规则"} {
		if strings.HasSuffix(title, ending) {
			return false
		}
	}
	return endsLikeLaw(title)
}

var (
	judicialTitle = regexp.MustCompile(`^(?:最高人民(?:法院|检察院)|人民(?:法院|检察院)(?:.{0,6}诉讼|在线|办理|提起|法庭|司法).*(?:规则|规定|办法)` +
		`|关于(?:审理|办理|适用).+(?:解释|规定|批复)$)`)
	judicialHeader = regexp.MustCompile(`最高人民法院审判委员会|最高人民检察院.{0,10}检察委员会|最高人民(?:法院|检察院)(?:公告|发布|印发)|法释〔|高检发`)
	congressHeader = regexp.MustCompile(`(?:^|\n|\s)(?:中华人民共和国)?(?:第.{1,4}届)?全国人民代表大会|中华人民共和国主席令`)
	councilHeader  = regexp.MustCompile(`国务院(?:第?[0-9０-９一二三四五六七八九十]+次)?(?:常务会议|令|批准|发布|公布|修订|批转)|国务院、|政务院|` +
		`《国务院关于|国发〔|经国务院|(?m:^国务院$)`)
	departmentHeader = regexp.MustCompile(`(?:部|局|总局|委员会|委|办公室|银行|署|会)(?:公告|令|第[0-9０-９]+号令|部务会议|办公会议|部长办公会议|局务会议|室务会议|第.{1,4}次(?:部|局|室|署|委)务会议)|(?:部|局|署)(?:发布|公布|印发)`)
	// A place that is no province: a city, county, autonomous place or zone.
	localTitle      = regexp.MustCompile(`^[^《（关]{2,10}(?:省|市|自治区|自治州|自治县|经济特区|县|区)(?:人民代表大会|人民政府|实施|制定|[^《]{2,}(?:条例|规定|办法|规则|决定|细则|决议)$)`)
	localHeader     = regexp.MustCompile(`(?:省|市|自治区|自治州|自治县|县|州)(?:第.{1,4}届)?(?:人民代表大会|人大常委会|人民政府)`)
	localGovernment = regexp.MustCompile(`(?:省|市|自治区|州)人民政府(?:令|第.{1,5}次|.{0,6}常务会议|.{0,4}公布|.{0,4}发布)`)
)
