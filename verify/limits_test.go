package verify_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lexagent/book"
	"lexagent/verify"
)

// The time of a check grows with the text and no faster, whatever the text is. The
// bound leaves room for the race detector on a busy machine; what is quadratic in a
// text of this size takes minutes.
func TestHostileTexts(t *testing.T) {
	c := open(t, "testdata/laws")
	article := "自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。"
	const size = 100_000
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size/len(s)*len(s)] }
	for name, text := range map[string]string{
		"marks that open":           fill("“"),
		"marks that close":          fill("”"),
		"nested marks":              strings.Repeat("“", size/6) + strings.Repeat("”", size/6),
		"marks of all kinds":        fill("“「『\"》）"),
		"straight marks":            fill("\"甲"),
		"straight marks in a quote": "“" + fill("\"甲"),
		"brackets":                  fill("《（[【"),
		"block quotes":              fill("> 甲\n"),
		"nested block quotes":       fill("> > > "),
		"references":                fill("民法典第1077条、"),
		"ranges":                    fill("民法典第1条至第1260条，")[:21_000], // 31 findings each
		"numbers":                   fill("1"),
		"Chinese numbers":           fill("一"),
		"figures":                   fill("三十日"),
		"one long quote":            "民法典第1077条规定：“" + fill("甲乙丙丁") + "”",
		"the article over and over": "民法典第1077条规定：“" + fill(article) + "”",
		"quotes that are altered":   fill("民法典第1077条规定：“" + strings.Replace(article, "三十", "四十", 1) + "”"),
		"quotes that are nowhere":   fill("民法典第1077条规定：“离婚时房屋一律归抚养子女的一方所有，另一方不得主张折价补偿。”"),
		"letters that repeat":       "民法典第1079条规定：“" + fill("的，应当准予离婚") + "”",
		"colons":                    fill("民法典第1077条规定：") + article,
		"broken bytes":              fill("\xff“\xe4"),
	} {
		start := time.Now()
		if _, err := c.Check(context.Background(), verify.Draft{Text: text, Collections: []string{book.DefaultCollection}, Day: today}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: %s for %d bytes", name, took, len(text))
		} else {
			t.Logf("%-26s %s", name, took.Round(time.Millisecond))
		}
	}
}

func TestTooLongATextIsRefused(t *testing.T) {
	c := open(t, "testdata/laws")
	_, err := c.Check(context.Background(), verify.Draft{Text: strings.Repeat("x", verify.MaxText+1)})
	if !errors.Is(err, verify.ErrTooLong) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Check(ctx, verify.Draft{Text: "民法典第1077条", Collections: []string{book.DefaultCollection}, Day: today}); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that nobody waits for: %v", err)
	}
}
