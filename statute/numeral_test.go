package statute

import (
	"bufio"
	"compress/gzip"
	"os"
	"testing"
)

// The table of testdata/numerals.py: cn2an's numerals for 1 to 9999.
func TestNumeralsEqualCn2an(t *testing.T) {
	f, err := os.Open("testdata/numerals.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := bufio.NewScanner(z); lines.Scan(); {
		n++
		if got, err := Numeral(n); err != nil || got != lines.Text() {
			t.Errorf("Numeral(%d) = %q, %v, want %q", n, got, err, lines.Text())
		}
		if got, err := ParseNumeral(lines.Text()); err != nil || got != n {
			t.Errorf("ParseNumeral(%q) = %d, %v, want %d", lines.Text(), got, err, n)
		}
	}
	if n != 9999 {
		t.Fatalf("the table has %d lines, want 9999", n)
	}
}

func TestParseNumeral(t *testing.T) {
	good := map[string]int{
		"一": 1, "十": 10, "十二": 12, "二十": 20, "一十二": 12, "廿": 20, "廿一": 21,
		"卅二": 32, "一百廿三": 123, "一百": 100, "百二十": 120, "一百零五": 105, "一百〇五": 105,
		"一百五": 150, "一百五十": 150, "一百十五": 115, "一百一十五": 115, "两百": 200, "二百二": 220,
		"一千": 1000, "一千二": 1200, "一千零五": 1005, "一千零五十": 1050, "一千五十": 1050,
		"两千零二十一": 2021, "二〇二一": 2021, "二○二一": 2021, "二零二一": 2021, "一二〇": 120,
		"1": 1, "082": 82, "1077": 1077, "１０７７": 1077, " 一 百 ": 100, "一　百零 一": 101, "九千九百九十九": 9999,
	}
	for s, want := range good {
		if got, err := ParseNumeral(s); err != nil || got != want {
			t.Errorf("ParseNumeral(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	bad := []string{"", " ", "零", "0", "〇〇", "十十", "百千", "一一十", "二廿", "零五十", "一百零", "一百零零五",
		"一万", "10000", "99999999999999999999", "一二三四五", "-1", "1.5", "第一", "XX", "千千千千千千千千千千千千千千千千千千"}
	for _, s := range bad {
		if got, err := ParseNumeral(s); err == nil {
			t.Errorf("ParseNumeral(%q) = %d, want an error", s, got)
		}
	}
}

func TestNumeralOutOfRange(t *testing.T) {
	for _, n := range []int{-1, 0, 10000} {
		if got, err := Numeral(n); err == nil {
			t.Errorf("Numeral(%d) = %q, want an error", n, got)
		}
	}
}

func FuzzParseNumeral(f *testing.F) {
	for _, s := range []string{"一千零七十七", "二〇二一", "１２０", "一百五", "廿", "零"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseNumeral(s)
		if err != nil {
			return
		}
		printed, err := Numeral(n)
		if err != nil {
			t.Fatalf("ParseNumeral(%q) = %d, which cannot be printed: %v", s, n, err)
		}
		if back, err := ParseNumeral(printed); err != nil || back != n {
			t.Fatalf("%q → %d → %q → %d, %v", s, n, printed, back, err)
		}
	})
}
