package retrieval

import (
	"slices"
	"strings"
	"testing"

	"lexagent/statute"
)

// placeLaws are testLaws, one of a place that its title does not tell, and a law of
// the nation that bears a place's name.
var placeLaws = append(slices.Clone(testLaws),
	testLaw{"泉城婚约登记办法", "2020-01-01", "山东", "public", 3, 20200101, 0, map[int]string{2: "泉城居民离婚登记凭约定办理。"}},
	testLaw{"中华人民共和国海南自由贸易港法", "2021-06-10", "", "public", 1, 20210610, 0, map[int]string{1: "为了建设海南自由贸易港，制定本法。"}},
)

func TestThePlaceDecidesWhoseLawIsFound(t *testing.T) {
	e := engineOf(t, placeLaws, all)
	const every = "上海 山东 广东"
	tests := []struct {
		question string
		scope    Scope
		without  []Stage
		regions  []string // searched beside national law; nil = all
		found    string   // regions of the local laws found
	}{
		{question: "申请离婚登记要去哪里的婚姻登记机关？", regions: []string{}},
		{question: "上海申请离婚登记要去哪里的婚姻登记机关？", regions: []string{"上海"}, found: "上海"},
		{question: "我在浦东新区，离婚登记机关怎么找？", regions: []string{"上海"}, found: "上海"},
		{question: "深圳居民离婚登记可以去广州的婚姻登记机关吗？", regions: []string{"广东"}, found: "广东"},
		{question: "上海和广东省的离婚登记有什么不同？", regions: []string{"上海", "广东"}, found: "上海 广东"},
		{question: "新疆的离婚登记去哪里办？", regions: []string{"新疆"}},
		{question: "按照广东省婚姻登记规定，离婚登记可以去省内哪里？", regions: []string{"广东"}, found: "广东"},
		{question: "泉城婚约登记办法怎么规定离婚登记？", regions: []string{"山东"}, found: "山东"},
		{question: "北京时间几点以后不能离婚登记？", regions: []string{}},
		{question: "上海证券交易所的员工离婚登记去哪里？", regions: []string{}},
		{question: "海南自由贸易港法怎么规定离婚登记？", regions: []string{}},
		{question: "离婚登记去哪里办？", scope: Scope{Region: "广东"}, regions: []string{"广东"}, found: "广东"},
		{question: "上海离婚登记去哪里办？", scope: Scope{Region: "广东"}, regions: []string{"广东"}, found: "广东"},
		{question: "离婚登记去哪里办？", without: []Stage{Place}, found: every},
		{question: "离婚登记去哪里办？", scope: Scope{Levels: []statute.Level{1, 3}}, found: every},
		{question: "离婚登记去哪里办？", scope: Scope{Laws: []string{"上海市婚姻登记规定@2019-01-01"}}, found: "上海"},
	}
	for _, tt := range tests {
		for _, mode := range Modes {
			res := find(t, e, Query{Text: tt.question, Mode: mode, K: 20, Scope: tt.scope, Without: tt.without})
			if !slices.Equal(res.Regions, tt.regions) || (res.Regions == nil) != (tt.regions == nil) {
				t.Errorf("%s %q: local law of %q was searched, want %q", mode, tt.question, res.Regions, tt.regions)
			}
			if got := localFound(res); got != tt.found {
				t.Errorf("%s %q: local law of %q was found, want %q", mode, tt.question, got, tt.found)
			}
			if len(res.Notes) > 0 {
				t.Errorf("%s %q: %q", mode, tt.question, res.Notes)
			}
		}
	}
}

// localFound lists the regions of the local laws among the hits.
func localFound(res *Result) string {
	var found []string
	for _, h := range res.Hits {
		for _, l := range placeLaws {
			if l.region != "" && l.title == h.Law && !slices.Contains(found, l.region) {
				found = append(found, l.region)
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

func TestWithoutNationalLawEveryPlaceIsSearched(t *testing.T) {
	local := slices.DeleteFunc(slices.Clone(placeLaws), func(l testLaw) bool { return l.region == "" })
	e := engineOf(t, local, all)
	for _, mode := range Modes {
		res := find(t, e, Query{Text: "离婚登记去哪里办？", Mode: mode, K: 20})
		if localFound(res) != "上海 山东 广东" || res.Regions != nil || !strings.Contains(strings.Join(res.Notes, ""), "没有找到全国性规定") {
			t.Errorf("%s: %v of %q, %q", mode, ids(res.Hits), res.Regions, res.Notes)
		}
		res = find(t, e, Query{Text: "上海离婚登记去哪里办？", Mode: mode, K: 20})
		if localFound(res) != "上海" || len(res.Notes) > 0 {
			t.Errorf("%s: %v, %q: the place was named", mode, ids(res.Hits), res.Notes)
		}
		res = find(t, e, Query{Text: "新疆离婚登记去哪里办？", Mode: mode, K: 20})
		if len(res.Hits) > 0 || len(res.Notes) > 0 {
			t.Errorf("%s: %v, %q: other places' law is no answer", mode, ids(res.Hits), res.Notes)
		}
	}
}

func TestWhoAsksOfALocalMatterIsToldToNameThePlace(t *testing.T) {
	laws := slices.Clone(placeLaws)
	for _, place := range []string{"上海", "广东", "山东", "浙江"} {
		laws = append(laws, testLaw{place + "养犬管理条例", "2020-01-01", place, "public", 3, 20200101, 0, map[int]string{
			9: "养犬人应当自养犬之日起三十日内办理养犬登记，领取养犬登记证。",
		}})
	}
	e := engineOf(t, laws, all)
	tests := []struct {
		question string
		told     bool
	}{
		{"养犬要办养犬登记证吗？", true},
		{"上海养犬要办养犬登记证吗？", false},
		{"离婚登记申请可以撤回吗？", false},
		{"用人单位不订立书面劳动合同怎么办？", false},
	}
	for _, tt := range tests {
		for _, mode := range []Mode{BM25, Hybrid, Fast} {
			res := find(t, e, Query{Text: tt.question, Mode: mode})
			if told := strings.Contains(strings.Join(res.Notes, ""), "写明所在地"); told != tt.told {
				t.Errorf("%s %q: %q", mode, tt.question, res.Notes)
			}
		}
	}
}
