package corpus

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lexagent/statute"
)

// makeSQLite makes a SQLite file with the given statements.
func makeSQLite(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "laws 100% #1?.db")
	dsn := "file:" + strings.NewReplacer("%", "%25", "#", "%23", "?", "%3f").Replace(path)
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const sqliteTables = `CREATE TABLE laws (law_id TEXT PRIMARY KEY, law_name TEXT NOT NULL, doc_type TEXT, level TEXT, issuing_body TEXT,
	publish_date TEXT, effective_date TEXT, version_date TEXT, status TEXT, law_department TEXT);
CREATE TABLE articles (id INTEGER PRIMARY KEY, law_id TEXT NOT NULL, law_name TEXT NOT NULL, law_department TEXT, level TEXT, status TEXT,
	chapter TEXT, section TEXT, article_no TEXT, article_no_arabic INTEGER, article_text TEXT, char_count INTEGER)`

func TestSQLite(t *testing.T) {
	path := makeSQLite(t, sqliteTables,
		`INSERT INTO laws VALUES
		('b', '中华人民共和国灯塔法', '法律', '法律', '全国人民代表大会', '2020-12-26', '1997-10-01', '2020-12-26', '已被修改', ''),
		('a', '中华人民共和国航标法', '法律', '法律', '全国人民代表大会常务委员会', '2010-01-02', '2010-03-01', '2010-01-02', '历史版本', ''),
		('c', '中华人民共和国航标法', '法律', '法律', NULL, '2025-12-27', '2026-07-01', '2025-12-27 00:00:00', '现行有效', ''),
		('d', '灯塔法修正案', '修正案', '法律', '全国人民代表大会', 'soon', '', NULL, '已废止', ''),
		('e', '浮标法', '法律', '法律', '', '2000-01-01', '', '2000-01-01', '', '')`,
		`INSERT INTO articles (id, law_id, law_name, chapter, section, article_no, article_no_arabic, article_text) VALUES
		(1, 'b', '中华人民共和国灯塔法', '第一章 总则', '第一节  建造', '第一百二十条', 120, '甲。'||char(10)||'款。'),
		(2, 'b', '中华人民共和国灯塔法', '第一章 总则', NULL, '第一百二十条之一', 120, '第一百二十条之一 乙，见\<丙法\>。'),
		(3, 'b', '中华人民共和国灯塔法', NULL, NULL, '第一百二十一条', 121, '丁。'||char(10)||'附件一'||char(10)||'甲表'||char(10)||'附件二：乙表'),
		(4, 'a', '中华人民共和国航标法', NULL, NULL, '第一条', 1, '旧。'),
		(5, 'c', '中华人民共和国航标法', NULL, NULL, '', 1, '新。'),
		(6, 'c', '中华人民共和国航标法', NULL, NULL, '第二条', 2, ''),
		(7, 'd', '灯塔法修正案', NULL, NULL, '条目一', 1, '删去第一条。'),
		(8, 'd', '灯塔法修正案', NULL, NULL, '条目二', 2, '本修正案自公布之日起施行。'),
		(9, 'z', '无主法', NULL, NULL, '全文', NULL, '全文。')`)
	docs, failures := readAll(t, path)
	if diff := cmp.Diff([]string{filepath.Base(path) + ":6: article_text is empty"}, failures); diff != "" {
		t.Error(diff)
	}
	type summary struct {
		ID       string
		Declared statute.Status
		Dates    string
		Units    []string
		Notes    int
	}
	var got []summary
	for _, d := range docs {
		l := d.Law
		id := l.ID
		if l.Version[0] == 'x' {
			id = l.Short + "@x"
		}
		got = append(got, summary{id, l.Declared, l.Published.String() + " " + l.Effective.String(), shown(d), len(d.Notes)})
	}
	want := []summary{
		{"航标法@2010-01-02", statute.Superseded, "2010-01-02 2010-03-01", []string{"article 1 第一条 [] 旧。"}, 0},
		{"灯塔法@2020-12-26", statute.InForce, "2020-12-26 2020-12-26", []string{
			"article 120 第一百二十条 [第一章 总则 第一节 建造] 甲。/款。", "article 120.1 第一百二十条之一 [第一章 总则] 乙，见<丙法>。",
			"article 121 第一百二十一条 [] 丁。", "attachment 附件一 附件一 [] 甲表", "attachment 附件二 附件二 [] 乙表"}, 1},
		{"航标法@2025-12-27", statute.InForce, "2025-12-27 2026-07-01", []string{"article 1 第一条 [] 新。"}, 0},
		{"灯塔法修正案@x", statute.Repealed, " ", []string{"item 项1 一、 [] 删去第一条。", "item 项2 二、 [] 本修正案自公布之日起施行。"}, 1},
		{"无主法@x", "", " ", []string{"whole 全文 全文 [] 全文。"}, 1},
		{"浮标法@2000-01-01", "", "2000-01-01 ", []string{}, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if docs[1].Law.Level != statute.PrimaryStatute || docs[1].Units[0].SourceID != "1" || docs[1].Law.SourceIDs[0] != "b" {
		t.Errorf("level or source ids: %+v", docs[1].Law)
	}
}

func TestAmendedWithALaterVersion(t *testing.T) {
	path := makeSQLite(t, sqliteTables, `INSERT INTO laws (law_id, law_name, version_date, status) VALUES ('a', '航标法', '2010-01-02', '已被修改'), ('b', '航标法', '2020-01-02', '现行有效')`)
	docs, _ := readAll(t, path)
	if len(docs) != 2 || docs[0].Law.Declared != statute.Superseded || docs[1].Law.Declared != statute.InForce {
		t.Errorf("%+v", docs)
	}
}

func TestSQLiteOfAnotherShape(t *testing.T) {
	for name, schema := range map[string]string{"other tables": `CREATE TABLE songs (id INTEGER)`, "a column missing": strings.Replace(sqliteTables, "article_text TEXT,", "", 1)} {
		t.Run(name, func(t *testing.T) {
			for doc, err := range Read(t.Context(), makeSQLite(t, schema)) {
				if doc != nil || !errors.Is(err, ErrNotCorpus) || !strings.Contains(err.Error(), "articles.article_text") {
					t.Errorf("got %v, %v", doc, err)
				}
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		path := makeSQLite(t, sqliteTables)
		if err := os.Truncate(path, 600); err != nil {
			t.Fatal(err)
		}
		docs, failures := readAll(t, path)
		if len(docs) != 0 || len(failures) != 1 {
			t.Errorf("%d documents, %q", len(docs), failures)
		}
	})
}
