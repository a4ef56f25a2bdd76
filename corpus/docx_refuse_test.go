package corpus

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ole makes a file in Microsoft's older container format with one stream.
func ole(stream string) []byte {
	b := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 504)...)
	for _, r := range stream {
		b = append(b, byte(r), 0)
	}
	return append(b, make([]byte, 512)...)
}

func TestDOCXRefusals(t *testing.T) {
	inside := func(xml string) parts { return parts{"word/document.xml": xml} }
	bomb := func() []byte {
		return writeDOCX(t, parts{"body": "<w:p>" + strings.Repeat(" ", 50<<20) + "</w:p>"})
	}
	entries := func(n int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range n {
			if _, err := z.Create(fmt.Sprintf("%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	good := writeDOCX(t, parts{"body": wp("航标法")})
	encrypted := bytes.Clone(good)
	for i := range encrypted[:len(encrypted)-4] { // the flag of encryption, in the directory
		if bytes.HasPrefix(encrypted[i:], []byte("PK\x01\x02")) {
			encrypted[i+8] |= 1
		}
	}
	tests := []struct {
		name    string
		content []byte
		want    string
	}{
		{"an old document", ole("WordDocument"), "Word 97–2003"},
		{"an encrypted document", ole("EncryptedPackage"), "encrypted"},
		{"an old workbook", ole("Workbook"), "older Office file"},
		{"not a zip", []byte("第一条 甲。"), "isn't a zip archive"},
		{"rich text", []byte(`{\rtf1 x}`), "RTF"},
		{"cut off", good[:len(good)/2], "damaged"},
		{"an encrypted archive", encrypted, "encrypted"},
		{"a workbook", writeDOCX(t, parts{"xl/workbook.xml": "<x/>"}), "Excel"},
		{"a presentation", writeDOCX(t, parts{"ppt/presentation.xml": "<x/>"}), "PowerPoint"},
		{"an OpenDocument text", writeDOCX(t, parts{"mimetype": "application/vnd.oasis.opendocument.text"}), ".odt"},
		{"an OFD document", writeDOCX(t, parts{"OFD.xml": "<x/>"}), "OFD"},
		{"another archive", writeDOCX(t, parts{"a.txt": "x", "../word/document.xml": "<x/>"}), "without word/document.xml"},
		{"too many entries", entries(maxEntries + 1), "entries"},
		{"a bomb", bomb(), "zip bombs"},
		{"no text", writeDOCX(t, parts{"body": "<w:p/>", "header1": wp("页眉")}), "no text"},
		{"another vocabulary", writeDOCX(t, inside(`<html><body>第一条</body></html>`)), "not WordprocessingML"},
		{"broken XML", writeDOCX(t, inside(`<w:document `+wordNames+`><w:body><w:p></w:body>`)), "word/document.xml is broken at byte"},
		{"XML that ends early", writeDOCX(t, inside(`<w:document `+wordNames+`><w:body><w:p>`)), "word/document.xml is broken at byte"},
		{"entities", writeDOCX(t, inside(`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document `+wordNames+`>&b;</w:document>`)), "document type"},
		{"an unknown entity", writeDOCX(t, parts{"body": wp("&b;")}), "is broken at byte"},
		{"deep nesting", writeDOCX(t, parts{"body": strings.Repeat("<w:sdt>", 1000) + strings.Repeat("</w:sdt>", 1000)}), "more than 512 deep"},
		{"broken styles", writeDOCX(t, parts{"body": wp("甲"), "word/styles.xml": "<w:styles>"}), "word/styles.xml is broken"},
		{"broken numbering", writeDOCX(t, parts{"body": wp("甲"), "word/numbering.xml": "<a></b>"}), "word/numbering.xml is broken"},
		{"broken notes", writeDOCX(t, parts{"body": wp("甲"), "word/footnotes.xml": "<a></b>"}), "word/footnotes.xml is broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"x.docx", "x.doc"} {
				path := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(path, tt.content, 0o600); err != nil {
					t.Fatal(err)
				}
				if src, err := openSource(t.Context(), path); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("got %v, %v; want an error with %q", src, err, tt.want)
				}
				for doc, err := range Read(t.Context(), path) {
					var refused *ReadError
					if doc != nil || !errors.As(err, &refused) || refused.Path != path || refused.Reason == "" {
						t.Errorf("got %v, %v; want a refusal", doc, err)
					}
				}
			}
		})
	}
}

// TestUnzippedLimit holds that the limit counts what is unpacked, whatever size
// the archive tells.
func TestUnzippedLimit(t *testing.T) {
	left := int64(10)
	r := &budgetReader{strings.NewReader("12345678901234567890"), &left, t.Context().Err}
	var out [8]byte
	if _, err := r.Read(out[:]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(out[:]); !errors.Is(err, errTooBig) {
		t.Errorf("got %v, want %v", err, errTooBig)
	}
}

// TestDOCXCancelled holds that reading ends with the context, not with a refusal.
func TestDOCXCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.docx")
	if err := os.WriteFile(path, writeDOCX(t, parts{"body": wp("航标法")}), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openSource(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	for doc, err := range Read(ctx, path) {
		if doc != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v; want %v", doc, err, context.Canceled)
		}
	}
}

// fuzzParts are pieces of documents to begin with.
var fuzzParts = []string{
	wp("航标法") + wn(1, 0, "甲") + wn(1, 1, "乙") + wtbl([]string{wp("甲"), wp("乙")}),
	`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:p>`,
	`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:tbl/></w:tc></w:tr></w:tbl>`,
	`<w:p><w:r><mc:AlternateContent><mc:Choice/><mc:Fallback><w:txbxContent>` + wp("框") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
	`<w:p><w:r><w:footnoteReference w:id="1"/><w:sym w:char="F0A8"/><w:sym w:char="zz"/></w:r></w:p>`,
}

func FuzzDOCXBody(f *testing.F) {
	for _, seed := range fuzzParts {
		f.Add(seed, wnum(1, wlvl(0, "chineseCounting", "第%1条", ""), wlvl(1, "lowerRoman", "%1.%2", "")))
	}
	f.Fuzz(func(t *testing.T, body, numbering string) {
		b := writeDOCX(t, parts{"body": body, "numbering": numbering, "footnotes": `<w:footnote w:id="1">` + wp("注") + `</w:footnote>`})
		src, err := docxSource(t.Context(), "x.docx", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		checkDocument(t, recognise(src))
	})
}

func FuzzDOCXFile(f *testing.F) {
	for _, seed := range fuzzParts {
		f.Add(writeDOCX(f, parts{"body": seed}))
	}
	f.Add(ole("WordDocument"))
	f.Fuzz(func(t *testing.T, b []byte) {
		src, err := docxSource(t.Context(), "x.docx", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		checkDocument(t, recognise(src))
	})
}
