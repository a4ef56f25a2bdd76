package ingest

import (
	"context"
	"path/filepath"
	"testing"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// writeDefinitions writes a law that defines a word in one article and uses it in
// others, which are shorter and so nearer by words.
func writeDefinitions(t *testing.T, dir string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "law.md"), "# 示范快递条例\n\n2019年1月1日国务院公布\n\n<!-- INFO END -->\n\n## 第一章 总则\n\n"+
		"第一条 快件由企业寄递。\n\n第二条 快件丢失的，照价赔偿。\n\n"+
		"第三条 本条例所称快件，是指信函、包裹、印刷品以及经营者按照封装上的名址递送给收件人或者单位的其他物品。\n\n第四条 本条例自2019年3月1日起施行。\n")
}

// best is the unit that the index in use finds first.
func best(t *testing.T, dir, question string) string {
	t.Helper()
	s, err := embedded.Open(IndexRoot(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	hits, err := s.SearchSparse(context.Background(), s.Query(question), index.Filter{Kinds: statute.UnitKinds}, 1)
	if err != nil || len(hits) != 1 {
		t.Fatalf("%v, %v", hits, err)
	}
	return hits[0].ID
}

func TestTheArticleThatDefinesComesFirst(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeDefinitions(t, src)
	ingest(t, dir, Options{}, src)
	with := inUse(t, dir).Manifest.Name()
	if got := best(t, dir, "何谓快件？"); got != "示范快递条例@2019-01-01:3" {
		t.Errorf("found %s first, not the definition", got)
	}

	ingest(t, dir, Options{Without: Entities}, src)
	if got := best(t, dir, "何谓快件？"); got == "示范快递条例@2019-01-01:3" {
		t.Error("without entities the definition is not said again, and the shorter articles come first")
	}
	if _, err := Run(context.Background(), dir, []string{src}, Options{Without: "titles"}); err == nil {
		t.Error("nobody can leave titles out")
	}

	ingest(t, dir, Options{}, src)
	if got := inUse(t, dir).Manifest.Name(); got != with {
		t.Errorf("the index is %s, the first one was %s", got, with)
	}
}

// A server keeps to how the ingest composed the texts, and makes the vectors for it.
func TestUpdateLeavesOutWhatTheIngestDid(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeDefinitions(t, src)
	ingest(t, dir, Options{Without: Entities}, src)
	before := inUse(t, dir).Manifest.Name()
	if err := update(t, dir, &bags{}); err != nil {
		t.Fatal(err)
	}
	now := inUse(t, dir)
	if suits, err := Suits(dir, &bags{}); !suits || err != nil || now.Manifest.Name() != before || now.Vectors != now.Manifest.Documents {
		t.Errorf("%s became %s with %d of %d vectors, suits %t, %v", before, now.Manifest.Name(), now.Vectors, now.Manifest.Documents, suits, err)
	}
	// For another encoder a generation is made beside it, composed alike.
	if err := update(t, dir, &bags{name: "2"}); err != nil {
		t.Fatal(err)
	}
	if got := best(t, dir, "何谓快件？"); got == "示范快递条例@2019-01-01:3" || inUse(t, dir).Encoder != (&bags{name: "2"}).Digest() {
		t.Errorf("found %s first by the index of %s", got, inUse(t, dir).Encoder)
	}
}
