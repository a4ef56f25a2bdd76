package corpus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lexagent/corpus"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	path := filepath.Join(dir, "航标法.md")
	text := "# 中华人民共和国航标法\n\n2020年5月1日 第十三届全国人民代表大会常务委员会第一次会议通过\n\n<!-- INFO END -->\n\n" +
		"## 第一章 总则\n\n第一条 为了保护航标，制定本法。\n\n第二条 本法自2020年7月1日起施行。\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	for doc, err := range corpus.Read(context.Background(), path) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(doc.Law.ID, doc.Law.Issuer, doc.Law.Effective)
		for _, u := range doc.Units {
			fmt.Println(u.ID, u.Path, u.Text)
		}
	}
	// Output:
	// 航标法@2020-05-01 全国人民代表大会常务委员会 2020-07-01
	// 航标法@2020-05-01:1 [第一章 总则] 为了保护航标，制定本法。
	// 航标法@2020-05-01:2 [第一章 总则] 本法自2020年7月1日起施行。
}
