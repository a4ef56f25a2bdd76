package retrieval

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lexagent/model"
	"lexagent/statute"
)

// letterEncoder makes vectors of the letters of a text, and counts what it encodes.
type letterEncoder struct{ passages int }

func (e *letterEncoder) Encode(_ context.Context, texts []string, role model.Role) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = make([]float32, 64)
		for _, r := range t {
			out[i][int(r)%64]++
		}
		if role == model.Passage {
			e.passages++
		}
	}
	return out, nil
}

// readerBy is a reader that prefers what covers most of the question, short before long.
func readerBy(t *testing.T, e *letterEncoder) *Reader {
	t.Helper()
	split := func(feature string, at, less, more float64) tree {
		return tree{Feature: []int{slices.Index(passageFeatures, feature)}, Threshold: []float64{at}, Left: []int{-1}, Right: []int{-2}, Leaf: []float64{less, more}}
	}
	raw, err := json.Marshal(trees{passageFeatures, []tree{split("covers", .3, 0, 1), split("runes", 30, .5, 0), split("ends_lead", .5, .1, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ReaderFile), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var probation = []Hit{
	{ID: "劳动合同法@2012-12-28:19", Kind: statute.Article, Law: "劳动合同法", Label: "第十九条", Text: "劳动合同期限三个月以上不满一年的，试用期不得超过一个月。\n同一用人单位与同一劳动者只能约定一次试用期。"},
	{ID: "劳动合同法@2012-12-28:38", Kind: statute.Article, Law: "劳动合同法", Label: "第三十八条", Text: "用人单位有下列情形之一的，劳动者可以解除劳动合同：\n（一）未按照劳动合同约定提供劳动保护的；\n（二）未及时足额支付劳动报酬的；\n（三）未依法为劳动者缴纳社会保险费的。"},
}

func TestReaderChoosesThePassage(t *testing.T) {
	e := &letterEncoder{}
	r := readerBy(t, e)
	for question, want := range map[string]string{
		"同一劳动者可以约定几次试用期？": "同一用人单位与同一劳动者只能约定一次试用期。",
		"劳动合同期限不满一年的试用期":  "劳动合同期限三个月以上不满一年的，试用期不得超过一个月。",
	} {
		got, err := r.Read(context.Background(), question, probation)
		if err != nil || len(got) == 0 || got[0].Text != want || got[0].Hit != 0 {
			t.Errorf("%s: %+v, %v", question, got[:min(1, len(got))], err)
		}
	}
	before := e.passages
	if _, err := r.Read(context.Background(), "另一个问题", probation); err != nil || e.passages != before {
		t.Errorf("%d sentences were encoded again, %v", e.passages-before, err)
	}
	if got, err := r.Read(context.Background(), "试用期", nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

// Every passage is made of the unit's own sentences, in their order; a list comes with
// its lead, and so does one of its items.
func TestPassagesAreTheUnitsOwnWords(t *testing.T) {
	got, err := NewReader(&letterEncoder{}).Rows(context.Background(), "什么情形可以解除劳动合同？", probation)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range got {
		texts = append(texts, p.Text)
		if len(p.Row) != len(passageFeatures) {
			t.Fatalf("%d features, want %d", len(p.Row), len(passageFeatures))
		}
		at := 0
		for line := range strings.SplitSeq(p.Text, "\n") {
			text := probation[0].Text + "\n" + probation[1].Text
			i := strings.Index(text[at:], line)
			if i < 0 {
				t.Errorf("%q is not the articles'", p.Text)
				break
			}
			at += i
		}
	}
	lead := "用人单位有下列情形之一的，劳动者可以解除劳动合同："
	for _, want := range []string{probation[0].Text, probation[1].Text, lead + "\n（二）未及时足额支付劳动报酬的；"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no passage %q", want)
		}
	}
}

// The reader that ships reads the features that this program computes.
func TestTheReaderThatShipsIsUsable(t *testing.T) {
	r, err := OpenReader("../model/pretrained", &letterEncoder{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Read(context.Background(), "试用期最长多久？", probation); err != nil || len(got) < 10 || got[0].Score < got[len(got)-1].Score {
		t.Errorf("%d passages, %v", len(got), err)
	}
	if _, err := OpenReader(t.TempDir(), &letterEncoder{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without one: %v", err)
	}
}

// What is searched for in a passage is what these expressions find, with which the reader
// was trained.
func TestCuesOfPassages(t *testing.T) {
	expressions := []string{
		`是指|所称|包括|称为`, `[0-9０-９]|[一二三四五六七八九十]+(日|年|月|万|倍|个)`, `应当`, `不得`,
		`罚款|处以|责令|吊销|没收`, `部门|机关|委员会|总局`, `为了|根据.{2,30}制定`, `起施行`,
	}
	texts := []string{
		"", "本法所称用人单位，是指企业。", "三十日内提出", "十分重要的一点", "第十条", "处二倍以上五倍以下罚款", "１个", "百万", "十万元", "二〇二〇年", "五 日",
		"为了规范登记，根据宪法，制定本法。", "根据法制定本法", "根据\n民法典的有关规定制定", "根据《" + strings.Repeat("长", 40) + "》制定", "制定后根据民法典规定", "自公布之日起施行",
		"市场监督管理部门应当责令改正", "不得拒绝", "一二三", "九月", "数月",
	}
	for i, e := range expressions {
		re := regexp.MustCompile(e)
		for _, text := range texts {
			if says[i](text) != re.MatchString(text) {
				t.Errorf("%s in %q: %t", e, text, says[i](text))
			}
		}
	}
}
