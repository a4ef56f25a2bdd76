package milvus

import (
	"strings"
	"testing"

	"lexagent/index"
	"lexagent/statute"
)

func TestExpression(t *testing.T) {
	long := strings.Repeat("法", 200)
	for _, test := range []struct {
		f    index.Filter
		want string
	}{
		{index.Filter{}, ``},
		{index.Filter{Collections: []string{"public", `a"b\c`}}, `collection in ["public","a\"b\\c"]`},
		{index.Filter{Regions: []string{"", "上海"}, Kinds: []statute.Kind{statute.Article}}, `region in ["","上海"] && kind in ["article"]`},
		{index.Filter{Laws: []string{"民法典@2020-05-28~2\n"}, Levels: []statute.Level{0, 6}}, `law in ["民法典@2020-05-28~2\n"] && level in [0,6]`},
		{index.Filter{AsOf: 20210101}, `(from_day <= 20210101) && (until_day == 0 || until_day > 20210101)`},
		{index.Filter{Laws: []string{long}}, `law in ["` + key(long) + `"]`},
	} {
		if got := expression(test.f); got != test.want {
			t.Errorf("%+v: %s instead of %s", test.f, got, test.want)
		}
	}
	if k := key(long); len(k) > keyBytes || !strings.HasPrefix(k, "sha256:") || k == key(long+"2") {
		t.Errorf("the key of a long string is %q", k)
	}
}

// FuzzQuote holds that a literal ends where it should, whatever it holds.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", `"`, `\`, `\"`, "《民法典》", "\n", `" || id != "`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := quote(s)
		for i := 1; i < len(q)-1; i++ {
			switch q[i] {
			case '\\':
				i++ // the next one is escaped
				if i == len(q)-1 {
					t.Fatalf("%q escapes its end", q)
				}
			case '"', '\n':
				t.Fatalf("%q ends too early", q)
			}
		}
		back := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(q[1 : len(q)-1])
		if back != s {
			t.Fatalf("%q is read as %q", s, back)
		}
	})
}
