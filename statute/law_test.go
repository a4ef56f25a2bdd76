package statute

import (
	"encoding/json"
	"testing"
	"time"
)

func mustDate(t *testing.T, s string) Date {
	t.Helper()
	d, err := ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestStatusOn(t *testing.T) {
	const today = "2026-03-13"
	tests := []struct {
		name             string
		effective, ended string
		declared         Status
		want             Status
	}{
		{"in force for years", "2021-01-01", "", "", InForce},
		{"effective today", today, "", "", InForce},
		{"effective tomorrow", "2026-03-14", "", "", NotYet},
		{"effective tomorrow, whatever is declared", "2026-03-14", "", InForce, NotYet},
		{"ended today", "2000-01-01", today, "", Repealed},
		{"ended yesterday", "2000-01-01", "2026-03-12", "", Repealed},
		{"ends tomorrow", "2000-01-01", "2026-03-14", "", InForce},
		{"ends tomorrow, declared repealed", "2000-01-01", "2026-03-14", Repealed, InForce},
		{"ends tomorrow, beginning unknown", "", "2026-03-14", "", InForce},
		{"superseded by a new version", "2000-01-01", "2020-01-01", Superseded, Superseded},
		{"superseded tomorrow", "2000-01-01", "2026-03-14", Superseded, InForce},
		{"declared superseded, day unknown", "2000-01-01", "", Superseded, Superseded},
		{"declared repealed, day unknown", "", "", Repealed, Repealed},
		{"declared in force, no dates", "", "", InForce, InForce},
		{"declared not yet, no dates", "", "", NotYet, NotYet},
		{"nothing known", "", "", "", Unknown},
		{"declared unknown", "", "", Unknown, Unknown},
		{"declared unknown, dates known", "2021-01-01", "", Unknown, InForce},
		{"never came into force", "2027-01-01", "2026-01-01", Repealed, NotYet},
	}
	for _, tt := range tests {
		l := Law{Effective: mustDate(t, tt.effective), Ended: mustDate(t, tt.ended), Declared: tt.declared}
		if got := l.StatusOn(mustDate(t, today)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestParseDate(t *testing.T) {
	for _, s := range []string{"2020-05-28", "2024-02-29", "1949-10-01", "9999-12-31", "0001-01-01"} {
		if got := mustDate(t, s).String(); got != s {
			t.Errorf("ParseDate(%q) prints %q", s, got)
		}
	}
	if d, err := ParseDate(""); err != nil || !d.IsZero() || d.String() != "" {
		t.Errorf("the empty date is %v, %v", d, err)
	}
	for _, s := range []string{"2020-02-30", "2023-02-29", "2020-13-01", "2020-1-1", "20200528", "2020年5月28日", "today", "2020-05-28T00:00:00Z"} {
		if d, err := ParseDate(s); err == nil {
			t.Errorf("ParseDate(%q) = %v, want an error", s, d)
		}
	}
}

func TestNewDate(t *testing.T) {
	if d, err := NewDate(2020, 5, 28); err != nil || d != 20200528 {
		t.Errorf("NewDate = %d, %v", d, err)
	}
	for _, bad := range [][3]int{{2023, 2, 29}, {0, 1, 1}, {10000, 1, 1}, {2020, 0, 1}, {2020, 1, 32}} {
		if d, err := NewDate(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("NewDate(%v) = %d, want an error", bad, d)
		}
	}
}

// The day changes at midnight in China, wherever the server is.
func TestDateOfIsChinas(t *testing.T) {
	tests := map[string]Date{
		"2026-03-13T15:59:59Z":      20260313,
		"2026-03-13T16:00:00Z":      20260314,
		"2025-12-31T11:00:00-05:00": 20260101,
		"2026-01-01T00:00:00+08:00": 20260101,
	}
	for s, want := range tests {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := DateOf(at); got != want {
			t.Errorf("DateOf(%s) = %v, want %v", s, got, want)
		}
	}
}

func TestDateJSON(t *testing.T) {
	var v struct {
		A Date `json:"A"`
		B Date `json:"B"`
		C Date `json:"C"`
	}
	if err := json.Unmarshal([]byte(`{"A":"2020-05-28","B":null,"C":""}`), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"A":"2020-05-28","B":null,"C":null}`; string(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
	for _, bad := range []string{`20200528`, `"2020-02-30"`, `{}`} {
		var d Date
		if err := json.Unmarshal([]byte(bad), &d); err == nil {
			t.Errorf("%s reads as %v, want an error", bad, d)
		}
	}
}

func TestParseLevel(t *testing.T) {
	for n := 0; n <= 6; n++ {
		l, err := ParseLevel(n)
		if err != nil || int(l) != n || l.Ordered() != (n <= 4) {
			t.Errorf("ParseLevel(%d) = %d, %v, ordered %t", n, l, err, l.Ordered())
		}
	}
	for _, n := range []int{-1, 7, 256, 1 << 20} {
		if l, err := ParseLevel(n); err == nil {
			t.Errorf("ParseLevel(%d) = %d, want an error", n, l)
		}
	}
}
