package corpus

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lexagent/statute"
)

var chunkLaw = &statute.Law{ID: "法@x00000000", Title: "法"}

func chunkUnit(n int, text string, path ...string) statute.Unit {
	return statute.Unit{ID: statute.UnitID("法@x00000000", statute.Article, "", n, 0), Kind: statute.Article, Label: statute.Label(n, 0), Number: n, Path: path, Text: text}
}

func TestChunksJoinWholeArticlesOfASection(t *testing.T) {
	long := strings.Repeat("长", 200)
	var units []statute.Unit
	units = append(units, chunkUnit(1, "甲。", "一章"), chunkUnit(2, long, "一章"), chunkUnit(3, "丙。", "一章"), chunkUnit(4, long, "一章"), chunkUnit(5, "戊。", "二章"))
	got := Chunks(chunkLaw, units)
	var labels []string
	for _, p := range got {
		labels = append(labels, p.Label)
	}
	want := "第一条至第三条 第三条至第四条 第五条"
	if s := strings.Join(labels, " "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
	if got[0].Text != "法\n一章\n第一条　甲。\n第二条　"+long+"\n第三条　丙。" || got[0].ID != "法@x00000000:块0" || len(got[0].Units) != 3 {
		t.Errorf("%+v", got[0])
	}
	if got[1].Text != "第三条　丙。\n第四条　"+long || got[2].Text != "二章\n第五条　戊。" {
		t.Errorf("headings stand once, over their first chunk: %q, %q", got[1].Text, got[2].Text)
	}
}

func TestALongArticleIsCutByItsItems(t *testing.T) {
	lines := []string{"有下列情形之一的，处罚款："}
	for range 12 {
		lines = append(lines, "（一）"+strings.Repeat("项", 80)+"；")
	}
	got := Chunks(chunkLaw, []statute.Unit{chunkUnit(7, strings.Join(lines, "\n"))})
	if len(got) < 3 {
		t.Fatalf("%d pieces", len(got))
	}
	for i, p := range got {
		if i == 0 {
			p.Text = strings.TrimPrefix(p.Text, "法\n")
		}
		if !strings.HasPrefix(p.Text, "第七条　有下列情形之一的，处罚款：\n（一）") || utf8.RuneCountInString(p.Text) > chunkMax+maxLead {
			t.Errorf("piece %d: %q", i, p.Text)
		}
	}
}

// chunkFaults says what is wrong with the chunks of a law, if anything.
func chunkFaults(units []statute.Unit, chunks []statute.Passage) (faults []string) {
	held := map[string]bool{}
	for i, p := range chunks {
		if p.Order != i || len(p.Units) == 0 || p.Text == "" {
			faults = append(faults, "order, units or text of "+p.ID)
		}
		if n := utf8.RuneCountInString(p.Text); n > 2*chunkMax+300 && len(p.Units) > 1 {
			faults = append(faults, p.ID+" is too long")
		}
		for _, id := range p.Units {
			held[id] = true
		}
	}
	for i := range units {
		if !held[units[i].ID] && units[i].Text != "" {
			faults = append(faults, units[i].ID+" is in no chunk")
		}
	}
	return faults
}

// Over real laws every unit is in a chunk, and few chunks are one article again.
func TestChunksOfRealLaws(t *testing.T) {
	skipUnderRace(t)
	path := "../../shared/data/laws/articles.jsonl.gz"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no ../shared beside the repository")
	}
	chunks, alone, units := 0, 0, 0
	for d, err := range Read(context.Background(), path) {
		if err != nil {
			continue
		}
		ps := Chunks(&d.Law, d.Units)
		if f := chunkFaults(d.Units, ps); len(f) > 0 {
			t.Fatalf("%s: %v", d.Law.ID, f[:min(3, len(f))])
		}
		units += len(d.Units)
		chunks += len(ps)
		for _, p := range ps {
			if len(p.Units) == 1 && slices.ContainsFunc(d.Units, func(u statute.Unit) bool { return u.ID == p.Units[0] && strings.HasSuffix(p.Text, Labelled(&u)) }) {
				alone++
			}
		}
	}
	t.Logf("%d units, %d chunks, %.1f %% of them equal to one unit", units, chunks, 100*float64(alone)/float64(chunks))
	if float64(alone) > 0.3*float64(chunks) {
		t.Errorf("%d of %d chunks are one unit", alone, chunks)
	}
}
