package structneg

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/book"
	"lexagent/statute"
)

// levels is a corpus with n units a level, whose ids are law@version:number: 一 of
// level 1 has 一@2020-01-01:1 and so on.
func levels(n int) *Corpus {
	c := NewCorpus()
	for level, name := range []string{"零", "一", "二", "三", "四", "五", "六"} {
		l := &statute.Law{ID: name + "@2020-01-01", Title: name, Short: name, Level: statute.Level(level)}
		for i := 1; i <= n; i++ {
			add(c, l, i, fmt.Sprintf("%s之%d", name, i))
		}
	}
	return c
}

// add adds an article and returns its id.
func add(c *Corpus, l *statute.Law, number int, text string) string {
	u := &statute.Unit{ID: fmt.Sprintf("%s:%d", l.ID, number), SourceID: fmt.Sprintf("src-%s-%d", l.ID, number), LawID: l.ID, Kind: statute.Article,
		Label: statute.Label(number, 0), Number: number, Text: text}
	c.Add(u, l)
	return u.ID
}

func miner(t *testing.T, c *Corpus, change func(*Settings)) *Miner {
	t.Helper()
	s := Default
	change(&s)
	m, err := NewMiner(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counts tells how many of the ids stand on each level, as "1:3 2:1".
func counts(c *Corpus, ids []string) string {
	n := map[statute.Level]int{}
	for _, id := range ids {
		n[c.Level(id)]++
	}
	var out []string
	for l := statute.Constitution; l <= statute.OtherDocument; l++ {
		if n[l] > 0 {
			out = append(out, fmt.Sprintf("%d:%d", l, n[l]))
		}
	}
	return strings.Join(out, " ")
}

func TestOnlyLevels0To4HaveNeighbours(t *testing.T) {
	c := levels(30)
	m := miner(t, c, func(s *Settings) { s.K, s.M = c.Size(), c.Size() })
	for level, want := range map[string]string{
		"零": "0:29 1:30", "一": "0:30 1:29 2:30", "二": "1:30 2:29 3:30", "三": "2:30 3:29 4:30", "四": "3:30 4:29", "五": "5:29", "六": "6:29",
	} {
		gold := level + "@2020-01-01:1"
		mined := m.Mine(&Question{ID: "q", Golds: []string{gold}}, c.ids)
		if got := counts(c, mined[0].Sampled); got != want {
			t.Errorf("%s: %s, want %s", gold, got, want)
		}
	}
}

func TestSharesOfTheLevels(t *testing.T) {
	c := levels(30)
	scarce := levels(2)
	for _, test := range []struct {
		name   string
		corpus *Corpus
		gold   string
		m      int
		shares Shares
		want   []string // any of these
	}{
		{"as told", c, "二", 10, Shares{0.6, 0.3, 0.1}, []string{"1:3 2:6 3:1"}},
		{"by turns where both lack as much", c, "二", 4, Shares{0.7, 0.15, 0.15}, []string{"1:1 2:3", "2:3 3:1"}},
		{"only the own level", c, "二", 4, Shares{1, 0, 0}, []string{"2:4"}},
		{"only the adjacent ones", c, "二", 4, Shares{0, 0.5, 0.5}, []string{"1:2 3:2"}},
		{"nothing is above the constitution", c, "零", 10, Shares{0.5, 0.4, 0.1}, []string{"0:7 1:3"}},
		{"nor below rules", c, "四", 4, Shares{0.5, 0.25, 0.25}, []string{"3:1 4:3", "3:2 4:2"}},
		{"a level that runs out leaves its places", scarce, "二", 5, Shares{0.8, 0.1, 0.1}, []string{"1:2 2:1 3:2"}},
		{"but not to one without a share", scarce, "二", 5, Shares{0.8, 0.2, 0}, []string{"1:2 2:1"}},
		{"beside the order there is only one", c, "五", 3, Shares{0.2, 0.4, 0.4}, []string{"5:3"}},
		{"none wanted", c, "二", 0, Shares{0.7, 0.15, 0.15}, []string{""}},
	} {
		m := miner(t, test.corpus, func(s *Settings) { s.K, s.M, s.Shares = test.corpus.Size(), test.m, test.shares })
		seen := map[string]bool{}
		for i := range 40 {
			mined := m.Mine(&Question{ID: fmt.Sprint(i), Golds: []string{test.gold + "@2020-01-01:1"}}, test.corpus.ids)
			seen[counts(test.corpus, mined[0].Sampled)] = true
		}
		for _, want := range test.want {
			if !seen[want] {
				t.Errorf("%s: %q never came", test.name, want)
			}
		}
		if len(seen) != len(test.want) {
			t.Errorf("%s: came %v, want %q", test.name, seen, test.want)
		}
	}
}

// versions is a corpus in which articles say the same or are the same.
func versions(t *testing.T) (c *Corpus, golds, never, others []string) {
	t.Helper()
	c = NewCorpus()
	now := &statute.Law{ID: "甲法@2020-01-01", Title: "甲法", Short: "甲法", Level: 1}
	old := &statute.Law{ID: "甲法@2001-01-01", Title: "甲法", Short: "甲法", Level: 1}
	here := &statute.Law{ID: "办法@2020-01-01", Title: "办法", Short: "办法", Region: "上海", Level: 3}
	there := &statute.Law{ID: "办法@2019-01-01", Title: "办法", Short: "办法", Region: "广东", Level: 3}
	golds = []string{add(c, now, 2, "违反规定的，处罚款。"), add(c, here, 1, "在上海适用。")}
	never = []string{
		add(c, old, 2, "旧的第二条。"),        // another version
		add(c, old, 7, "违反规定的，\n处 罚款。"), // the same words
	}
	c.Add(&statute.Unit{ID: "甲法@2001-01-01:2~2", LawID: old.ID, Kind: statute.Article, Number: 2, Text: "又一个第二条。"}, old)
	never = append(never, "甲法@2001-01-01:2~2") // a variant of another version
	others = []string{add(c, now, 3, "第三条。"), add(c, old, 3, "旧的第三条。"), add(c, there, 1, "在广东适用。")}
	return c, golds, never, others
}

func TestWhatIsNeverANegative(t *testing.T) {
	c, golds, never, others := versions(t)
	for _, e := range append(slices.Clone(never), others...) { // and not by a citation either
		c.Cite(&book.Citation{From: golds[0], To: e, Kind: book.Cites})
		c.Cite(&book.Citation{From: e, To: golds[1], Kind: book.Cites})
	}
	for _, method := range Methods {
		for _, budget := range []int{0, 2, 50} {
			m := miner(t, c, func(s *Settings) { s.Method, s.M, s.Shares = method, budget, Shares{0.2, 0.4, 0.4} })
			for _, mined := range m.Mine(&Question{ID: "q", Golds: golds}, c.ids) {
				all := mined.All()
				for _, id := range slices.Concat(golds, never) {
					if slices.Contains(all, id) {
						t.Errorf("%s, M %d: %s is a negative of %s", method, budget, id, mined.Positive)
					}
				}
				slices.Sort(all)
				if len(slices.Compact(slices.Clone(all))) != len(all) {
					t.Errorf("%s, M %d: one negative twice: %v", method, budget, all)
				}
				if slices.Sort(others); budget == 50 && !slices.Equal(all, others) {
					t.Errorf("%s: %v, want all others: %v", method, all, others)
				}
				if len(mined.Sampled) > budget {
					t.Errorf("%s: %d are drawn, more than %d", method, len(mined.Sampled), budget)
				}
			}
		}
	}
}

func TestOneRunForEachPositive(t *testing.T) {
	c := levels(10)
	golds := []string{"一@2020-01-01:1", "五@2020-01-01:1"}
	mined := miner(t, c, func(*Settings) {}).Mine(&Question{ID: "q", Golds: golds}, c.ids)
	if len(mined) != 2 || mined[0].Positive != golds[0] || mined[1].Positive != golds[1] {
		t.Fatalf("runs %v", mined)
	}
	if got := counts(c, mined[1].Sampled); got != "5:7" {
		t.Errorf("negatives of the interpretation: %s", got)
	}
}

func TestOnlyTheFirstKAreCandidates(t *testing.T) {
	c := levels(20)
	gold := "一@2020-01-01:1"
	found := append([]string{gold, "离开了的@2020-01-01:1"}, c.ids...)
	for _, method := range []Method{StructNeg, ANN} {
		m := miner(t, c, func(s *Settings) { s.Method, s.K, s.M = method, 5, 50 })
		got := m.Mine(&Question{ID: "q", Golds: []string{gold}}, found)[0].Sampled
		slices.Sort(got)
		// K counts golds too, as in the algorithm: the search comes before they are taken out.
		if want := c.ids[:3]; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
	if got := miner(t, c, func(*Settings) {}).Mine(&Question{ID: "q", Golds: []string{gold}}, nil)[0].All(); len(got) != 0 {
		t.Errorf("out of nothing came %v", got)
	}
}

func TestCitationNeighboursComeBeyondTheBudget(t *testing.T) {
	const gold = "一@2020-01-01:1"
	edges := []book.Citation{
		{From: gold, To: "六@2020-01-01:9", Kind: book.Cites}, // whatever its level
		{From: gold, To: "一@2020-01-01:2", Kind: book.Cites},
		{From: "五@2020-01-01:3", To: gold, Kind: book.Cites},
		{From: "一@2020-01-01:2", To: gold, Kind: book.Cites}, // both ways: once
		{From: gold, To: "一@2020-01-01:4", Kind: book.Cites, Stale: true},
		{From: "四@2020-01-01:5", To: gold, Kind: book.Cites, Stale: true},
		{From: "三@2020-01-01:6", To: gold, Kind: book.Amends},
		{From: "三@2020-01-01:7", To: gold, Kind: book.Repeals},
		{From: "三@2020-01-01:8", To: "一@2020-01-01", Kind: book.Repeals}, // a law
		{From: gold, To: "", Kind: book.Cites, Reason: book.ReasonNoLaw},
		{From: "二@2020-01-01:1", To: "二@2020-01-01:2", Kind: book.Cites},
	}
	c := levels(10)
	for i := range edges {
		c.Cite(&edges[i])
	}
	if diff := cmp.Diff(Edges{Used: 5, Stale: 2, Other: 3, Unresolved: 1}, c.Edges()); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct {
		out, in bool
		want    []string
	}{
		{true, true, []string{"一@2020-01-01:2", "五@2020-01-01:3", "六@2020-01-01:9"}},
		{true, false, []string{"一@2020-01-01:2", "六@2020-01-01:9"}},
		{false, true, []string{"一@2020-01-01:2", "五@2020-01-01:3"}},
		{false, false, nil},
	} {
		none := miner(t, c, func(s *Settings) { s.M, s.Out, s.In = 0, test.out, test.in })
		if got := none.Mine(&Question{ID: "q", Golds: []string{gold}}, c.ids)[0].All(); !slices.Equal(got, test.want) {
			t.Errorf("out %v, in %v: %v, want %v", test.out, test.in, got, test.want)
		}
		full := miner(t, c, func(s *Settings) { s.M, s.Out, s.In = 4, test.out, test.in })
		got := full.Mine(&Question{ID: "q", Golds: []string{gold}}, c.ids[10:30])[0]
		for _, id := range test.want {
			if len(got.Sampled) != 4 || !slices.Contains(got.All(), id) {
				t.Errorf("out %v, in %v: %s is missing of %v", test.out, test.in, id, got)
			}
		}
	}
	for _, method := range []Method{Random, ANN} {
		m := miner(t, c, func(s *Settings) { s.Method, s.M = method, 0 })
		if got := m.Mine(&Question{ID: "q", Golds: []string{gold}}, c.ids)[0].All(); len(got) != 0 {
			t.Errorf("%s takes citations: %v", method, got)
		}
	}
}

func TestWithoutAHierarchyItIsRetrievedHardNegatives(t *testing.T) {
	c := NewCorpus()
	code := &statute.Law{ID: "民法@2020-01-01", Title: "民法", Short: "民法", Level: statute.OtherDocument}
	for i := 1; i <= 700; i++ {
		add(c, code, i, fmt.Sprintf("第%d条", i))
	}
	for _, level := range []statute.Level{statute.OtherDocument, statute.PrimaryStatute} {
		for _, u := range c.units {
			u.level = level
		}
		q := &Question{ID: "q", Golds: []string{"民法@2020-01-01:3", "民法@2020-01-01:44"}}
		own := miner(t, c, func(*Settings) {}).Mine(q, c.ids)
		ann := miner(t, c, func(s *Settings) { s.Method = ANN }).Mine(q, c.ids)
		if diff := cmp.Diff(ann, own); diff != "" {
			t.Error(diff)
		}
		if len(own[0].Sampled) != Default.M {
			t.Errorf("%d negatives, want %d", len(own[0].Sampled), Default.M)
		}
	}
}

func TestTheSeedDecides(t *testing.T) {
	c := levels(40)
	a := &Question{ID: "a", Golds: []string{"二@2020-01-01:1", "二@2020-01-01:2"}}
	b := &Question{ID: "b", Golds: []string{"二@2020-01-01:1"}}
	turned := slices.Clone(c.ids)
	slices.Reverse(turned)
	for _, method := range Methods {
		set := func(s *Settings) { s.Method, s.M, s.K = method, 4, c.Size() }
		m := miner(t, c, set)
		first := m.Mine(a, c.ids)
		m.Mine(b, c.ids)
		if diff := cmp.Diff(first, m.Mine(a, c.ids)); diff != "" {
			t.Errorf("%s: another time: %s", method, diff)
		}
		if diff := cmp.Diff(first, miner(t, c, set).Mine(a, turned)); diff != "" {
			t.Errorf("%s: the order among the K first changed the draw: %s", method, diff)
		}
		if slices.Equal(first[0].Sampled, first[1].Sampled) || slices.Equal(first[0].Sampled, m.Mine(b, c.ids)[0].Sampled) {
			t.Errorf("%s: two questions or positives have one draw", method)
		}
		other := miner(t, c, func(s *Settings) { set(s); s.Seed++ })
		if slices.Equal(first[0].Sampled, other.Mine(a, c.ids)[0].Sampled) {
			t.Errorf("%s: another seed, the same draw", method)
		}
	}
}

// What is drawn at random comes about equally often.
func TestDrawsAreFair(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	seen := map[string]int{}
	const rounds = 4000
	for i := range rounds {
		for _, id := range newDraw(1, fmt.Sprint(i), "p").others(ids, map[string]bool{"c": true}, 3) {
			seen[id]++
		}
	}
	if seen["c"] != 0 || len(seen) != 9 {
		t.Fatalf("drawn %v", seen)
	}
	for id, n := range seen {
		if want := rounds * 3.0 / 9; math.Abs(float64(n)-want) > 0.1*want {
			t.Errorf("%s came %d times of about %.0f", id, n, want)
		}
	}
}

func TestSettingsThatCantBeMeant(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		`no negatives "best"`: func(s *Settings) { s.Method = "best" },
		"K is 0":              func(s *Settings) { s.K = 0 },
		"M is -1":             func(s *Settings) { s.M = -1 },
		"0.7, 0.7 and 0":      func(s *Settings) { s.Shares = Shares{0.7, 0.7, 0} },
		"1.5, -0.5 and 0":     func(s *Settings) { s.Shares = Shares{1.5, -0.5, 0} },
		"NaN":                 func(s *Settings) { s.Shares.Same = math.NaN() },
	} {
		s := Default
		change(&s)
		if _, err := NewMiner(NewCorpus(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", s, err, want)
		}
	}
}

func TestLinesAndPairs(t *testing.T) {
	c, golds, _, others := versions(t)
	q := &Question{ID: "q", Text: "罚多少？", Golds: golds}
	runs := []Mined{{Positive: golds[0], Sampled: others[:1], Cited: []string{"甲法@2001-01-01:2~2"}}, {Positive: golds[1]}}
	wantLine := Line{
		Query: "罚多少？", Pos: []string{"甲法 第二条 违反规定的，处罚款。"}, Neg: []string{"甲法 第三条 第三条。", "甲法 又一个第二条。"},
		ID: "q", PosID: []string{"src-甲法@2020-01-01-2"}, NegID: []string{"src-甲法@2020-01-01-3", "甲法@2001-01-01:2~2"}, // one brought no id
	}
	if diff := cmp.Diff(wantLine, c.Line(q, &runs[0])); diff != "" {
		t.Error(diff)
	}
	wantPair := Pair{
		ID: "q", Query: "罚多少？", Kind: "question", Pos: []string{"src-甲法@2020-01-01-2", "src-办法@2020-01-01-1"},
		Also: []string{"src-甲法@2001-01-01-2", "甲法@2001-01-01:2~2", "src-甲法@2001-01-01-7"},
		Neg:  [][]string{{"src-甲法@2020-01-01-3", "甲法@2001-01-01:2~2"}, {}},
	}
	if diff := cmp.Diff(wantPair, c.Pair(q, runs)); diff != "" {
		t.Error(diff)
	}
}
