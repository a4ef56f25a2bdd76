package statute

import (
	"strings"
	"testing"
)

// Real clauses, shortened. What is wanted is "issuer|title|dated|day" for each
// repealed text.
func TestFindRepeals(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"list", "本法自2021年1月1日起施行。《中华人民共和国婚姻法》、《中华人民共和国继承法》、《中华人民共和国民法总则》同时废止。",
			"|中华人民共和国婚姻法||; |中华人民共和国继承法||; |中华人民共和国民法总则||"},
		{"no comma between", "《甲省立法程序规定》《甲省批准程序规定》同时废止", "|甲省立法程序规定||; |甲省批准程序规定||"},
		{"day of the text meant", "1950年6月29日中央人民政府颁布的《中华人民共和国工会法》同时废止。", "|中华人民共和国工会法|1950-06-29|"},
		{"month and year", "1978年8月国防部颁布的《民兵工作条例》即行废止。", "|民兵工作条例|1978-08-31|"},
		{"file number", "本解释施行后，《最高人民法院关于审理抢夺刑事案件具体应用法律若干问题的解释》（法释〔2002〕18号）同时废止；之前发布的司法解释与本解释不一致的，以本解释为准。",
			"|最高人民法院关于审理抢夺刑事案件具体应用法律若干问题的解释|2002-12-31|"},
		{"issuer outside", "最高人民法院2012年12月20日发布的《关于适用〈中华人民共和国刑事诉讼法〉的解释》（法释〔2012〕21号）同时废止。",
			"最高人民法院|关于适用〈中华人民共和国刑事诉讼法〉的解释|2012-12-31|"},
		{"own date first", "本条例自2013年1月1日起施行，《退役士兵安置条例》同时废止", "|退役士兵安置条例||"},
		{"not carried out any more", "《最高人民法院关于办理未成年人刑事案件适用法律的若干问题的解释》（法发〔1995〕9号）自本解释公布之日起不再执行。",
			"|最高人民法院关于办理未成年人刑事案件适用法律的若干问题的解释|1995-12-31|"},
		{"with a day", "《某某管理办法》自2010年7月1日起废止。", "|某某管理办法||2010-07-01"},
		{"decision", "一、 废止《北京市邮政通信条例》（1994年7月22日北京市第十届人民代表大会常务委员会第十一次会议通过）", "|北京市邮政通信条例|1994-07-22|"},
		{"amended by a decision", "1996年9月6日通过，根据2016年11月25日《关于修改部分地方性法规的决定》修正的《北京市实施〈中华人民共和国保守国家秘密法〉若干规定》同时废止",
			"|北京市实施〈中华人民共和国保守国家秘密法〉若干规定|2016-11-25|"},
		{"list of an attachment", "全国人民代表大会常务委员会制定的下列条例和决定，自本法施行之日起，予以废止：\n1．关于惩治走私罪的补充规定\n2．关于惩治贪污罪贿赂罪的补充规定",
			"全国人民代表大会常务委员会|关于惩治走私罪的补充规定||; 全国人民代表大会常务委员会|关于惩治贪污罪贿赂罪的补充规定||"},
		{"without brackets", "国务院1987年发布的城乡个体工商户管理暂行条例同时废止。", "|城乡个体工商户管理暂行条例|1987-12-31|"},
		{"inner title stays", "《某省实施〈动物防疫法〉办法》同时废止。", "|某省实施〈动物防疫法〉办法||"},

		{"part only", "《中华人民共和国反倾销和反补贴条例》中关于反倾销的规定同时废止。", ""},
		{"part of the last of a list", "《关于设置总会计师的几项规定》、《会计人员职权条例》中有关总会计师的规定同时废止。", ""},
		{"articles only", "《某某解释》（法释〔2015〕11号）第一条第一款规定的数额标准不再适用。", ""},
		{"kept", "下列决定予以保留，有关刑事责任的规定已纳入本法：\n1．关于禁毒的决定", ""},
		{"licence", "《采矿许可证》有效期满，不办理延续登记手续的，《采矿许可证》自行废止。", ""},
		{"shares", "依照《中华人民共和国民事诉讼法》规定的公示催告程序，请求人民法院宣告该股票失效。", ""},
		{"procedure", "规章的制定、修改和废止，依照《中华人民共和国立法法》的有关规定执行。", ""},
		{"inconsistent", "《某某办法》与本规定不一致的，以本规定为准。过去有关部门制定的金银管理办法即行废止。", ""},
		{"local standard", "食品安全国家标准制定后，该地方标准即行废止。", ""},
		{"cited, not repealed", "根据《中华人民共和国宪法》，制定本办法，《某某暂行办法》同时废止。", "|某某暂行办法||"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		var got []string
		for _, r := range FindRepeals(test.text) {
			got = append(got, strings.Join([]string{r.Issuer, r.Law, r.Dated.String(), r.Day.String()}, "|"))
			if in := test.text[r.Start:r.End]; strings.Trim(in, "《》") != strings.Trim(r.Law, "《》") {
				t.Errorf("%s: the place of %q is %q", test.name, r.Law, in)
			}
		}
		if s := strings.Join(got, "; "); s != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, s, test.want)
		}
	}
}

func TestBeginsOn(t *testing.T) {
	for text, want := range map[string]string{
		"本法自2021年1月1日起施行。":         "2021-01-01 false",
		"本条例自一九九七年十月一日起施行":         "1997-10-01 false",
		"本解释自公布之日起施行。":             " true",
		"本办法自2010年13月1日起施行":        " false",
		"本法施行前已经设立的公司，登记事项继续有效。":   " false",
		"自2004年1月1日起领取的居民身份证继续有效。": " false",
	} {
		day, published := BeginsOn(text)
		if got := day.String() + map[bool]string{true: " true", false: " false"}[published]; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzFindRepeals(f *testing.F) {
	f.Add("《甲法》、《乙法》（试行）同时废止；下列规定予以废止：\n1．丙规定")
	f.Add("废止《《〈》〉》（（）同时废止")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range FindRepeals(text) {
			if r.Start < 0 || r.End > len(text) || r.Start >= r.End || r.Law == "" {
				t.Fatalf("%q: %+v", text, r)
			}
		}
		BeginsOn(text)
	})
}
