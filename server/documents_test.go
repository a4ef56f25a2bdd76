package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"lexagent/ingest"
	"lexagent/ingest/uploads"
	"lexagent/server"
	"lexagent/server/access"
)

const rules = "# 考勤办法\n\n2024年3月1日公司公布\n\n第一条 上班时间为九时。\n\n第二条 迟到三次记旷工一日。\n"

// takesDocuments gives the server a desk over an own data folder, searched by words.
func takesDocuments(t testing.TB) func(*server.Options) {
	t.Helper()
	dir := t.TempDir()
	desk, err := uploads.Open(uploads.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler),
		Ingest: func(ctx context.Context, paths []string, o ingest.Options) (*ingest.Report, error) {
			return ingest.Run(ctx, dir, paths, o)
		}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); desk.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return func(o *server.Options) { o.Documents = desk }
}

// form is a body of multipart/form-data; fields are name and value, files begin with @.
func form(t *testing.T, fields ...string) (body, header string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		name, isFile := strings.CutPrefix(fields[i], "@")
		if !isFile {
			if err := w.WriteField(name, fields[i+1]); err != nil {
				t.Fatal(err)
			}
			continue
		}
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(fields[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), "Content-Type: " + w.FormDataContentType()
}

// taken follows a job to its end.
func (s *site) taken(location string) uploads.Job {
	s.t.Helper()
	for range 500 {
		var j uploads.Job
		s.get("GET", location, "", &j)
		if j.State == uploads.Done || j.State == uploads.Failed {
			return j
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("the job does not end")
	return uploads.Job{}
}

func TestDocuments(t *testing.T) {
	s := serve(t, takesDocuments(t))
	body, header := form(t, "collection", "firm", "@考勤办法.md", rules, "@请假办法.md", strings.ReplaceAll(rules, "考勤", "请假"))
	for name, send := range map[string]func() (location, answer string, status int){
		"a form": func() (string, string, int) {
			res, text := s.do("POST", "/v1/documents", body, header, "Origin: "+s.url)
			return res.Header.Get("Location"), text, res.StatusCode
		},
		"a body": func() (string, string, int) {
			res, text := s.do("POST", "/v1/documents?collection=firm&filename="+url.QueryEscape("加班办法.md"), strings.ReplaceAll(rules, "考勤", "加班"), "Content-Type: text/markdown")
			return res.Header.Get("Location"), text, res.StatusCode
		},
	} {
		location, text, status := send()
		var j uploads.Job
		if err := json.Unmarshal([]byte(text), &j); err != nil || status != 202 || location != "/v1/jobs/"+j.ID || j.Collection != "firm" {
			t.Fatalf("%s: %d %s %s", name, status, location, text)
		}
		if j = s.taken(location); j.State != uploads.Done || j.Report.Articles != 2*len(j.Files) {
			t.Errorf("%s ends with %+v", name, j)
		}
	}
	// Where no collection is named it is not the law's.
	_, text := s.do("POST", "/v1/documents?filename=a.md", rules, "Content-Type: text/markdown")
	if !strings.Contains(text, `"collection":"uploads"`) {
		t.Errorf("no collection: %s", text)
	}
}

// Who may bring documents into a collection may remove them from it, and nobody else.
func TestDocumentsAreRemoved(t *testing.T) {
	s := lock(t, takesDocuments(t))
	firm := s.key(t, access.Key{Name: "f", Scopes: []access.Scope{access.Ingest}, Collections: []string{"firm"}})
	other := s.key(t, access.Key{Name: "o", Scopes: []access.Scope{access.Ingest}, Collections: []string{"other"}})
	reader := s.key(t, access.Key{Name: "r", Scopes: []access.Scope{access.Ask, access.Search}, Collections: []string{"firm"}})
	follow := func(res *http.Response, body string) {
		t.Helper()
		for res.StatusCode == 202 || strings.Contains(body, `"state":"running"`) || strings.Contains(body, `"state":"queued"`) {
			time.Sleep(10 * time.Millisecond)
			location := res.Header.Get("Location")
			if res, body = s.do("GET", location, "", firm); res.Header.Get("Location") == "" {
				res.Header.Set("Location", location)
			}
		}
		if !strings.Contains(body, `"state":"done"`) {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
	}
	const place = "/v1/documents/%E8%80%83%E5%8B%A4.md?collection=firm"
	follow(s.do("POST", "/v1/documents?collection=firm&filename=%E8%80%83%E5%8B%A4.md", rules, firm, "Content-Type: text/markdown"))
	for _, tt := range []struct {
		method, path, key string
		status            int
	}{
		{"GET", "/v1/documents?collection=firm", firm, 200},
		{"GET", "/v1/documents?collection=firm", other, 403},
		{"GET", "/v1/documents?collection=firm", reader, 403},
		{"GET", "/v1/documents?collection=firm", "X: y", 401},
		{"GET", "/v1/documents?collection=..%2Ffirm", firm, 400},
		{"DELETE", place, other, 403},
		{"DELETE", place, reader, 403},
		{"DELETE", place, "X: y", 401},
		{"DELETE", "/v1/documents/%E8%80%83%E5%8B%A4.md?collection=other", other, 404},
		{"DELETE", "/v1/documents/..%2Ffirm%2F%E8%80%83%E5%8B%A4.md?collection=other", other, 403}, // it is another path
		{"DELETE", "/v1/documents/none.md?collection=firm", firm, 404},
		{"DELETE", "/v1/documents/none.md?collection=nobodys", other, 403}, // no word of whether it exists
	} {
		res, body := s.do(tt.method, tt.path, "", tt.key)
		if res.StatusCode != tt.status || tt.status != 200 && strings.Contains(body, "考勤") {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, res.StatusCode, body)
		}
	}
	if _, body := s.do("GET", "/v1/documents?collection=firm", "", firm); !strings.Contains(body, `"name":"考勤.md"`) {
		t.Errorf("the list is %s", body)
	}
	follow(s.do("DELETE", place, "", firm))
	if _, body := s.do("GET", "/v1/documents?collection=firm", "", firm); !strings.Contains(body, `"documents":[]`) {
		t.Errorf("afterwards the list is %s", body)
	}
	if res, _ := s.do("DELETE", place, "", firm); res.StatusCode != 404 {
		t.Errorf("a second time: %d", res.StatusCode)
	}
}

func TestDocumentsThatAreNotTaken(t *testing.T) {
	s := serve(t, takesDocuments(t), func(o *server.Options) { o.MaxBody, o.MaxUpload = 1<<10, 1<<20 })
	file := func(fields ...string) []string {
		body, header := form(t, fields...)
		return []string{body, header}
	}
	many := make([]string, 0, 34)
	for i := range 17 {
		many = append(many, "@"+string(rune('a'+i))+".md", rules)
	}
	for _, tt := range []struct {
		name, query string
		send        []string // body, headers
		status      int
		code        string
	}{
		{"nothing", "", []string{"", "Content-Type: text/markdown"}, 400, "invalid_value"},
		{"empty body", "?filename=a.md", []string{"", "Content-Type: text/markdown"}, 400, "invalid_value"},
		{"no name", "", []string{rules, "Content-Type: text/markdown"}, 400, "invalid_value"},
		{"a path", "?filename=..%2Fa.md", []string{rules, "Content-Type: text/markdown"}, 400, "invalid_value"},
		{"a path in a form", "", file("@../a.md", rules), 400, "invalid_value"},
		{"no file in a form", "", file("collection", "firm"), 400, "invalid_value"},
		{"another field", "", file("mode", "x", "@a.md", rules), 400, "unknown_field"},
		{"too many files", "", file(many...), 400, "invalid_value"},
		{"a form without a boundary", "", []string{rules, "Content-Type: multipart/form-data"}, 400, "bad_body"},
		{"a form that ends", "", []string{"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\nx", "Content-Type: multipart/form-data; boundary=x"}, 400, "bad_body"},
		{"the law's collection", "?collection=public", file("@a.md", rules), 400, "invalid_value"},
		{"a collection in a path", "?collection=..%2Fx", file("@a.md", rules), 400, "invalid_value"},
		{"type", "", file("@a.exe", rules), 415, "unsupported_file_type"},
		{"unreadable", "", file("@a.docx", "PK\x03\x04"), 422, "unreadable_document"},
		{"too large", "?filename=a.md", []string{strings.Repeat("长", 1<<20), "Content-Type: text/markdown"}, 413, "request_too_large"},
		{"a foreign page", "", append(file("@a.md", rules), "Origin: https://evil.example"), 403, "origin_not_allowed"},
		{"a page of nowhere", "", append(file("@a.md", rules), "Origin: null"), 403, "origin_not_allowed"},
	} {
		res, text := s.do("POST", "/v1/documents"+tt.query, tt.send[0], tt.send[1:]...)
		var e struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil || res.StatusCode != tt.status || e.Error.Code != tt.code || e.Error.Message == "" {
			t.Errorf("%s: %d %s", tt.name, res.StatusCode, text)
		}
	}
	if res, text := s.do("GET", "/v1/jobs/job-x", ""); res.StatusCode != 404 || !strings.Contains(text, "no job") {
		t.Errorf("a job that never was: %d %s", res.StatusCode, text)
	}
	none := serve(t)
	if res, _ := none.do("POST", "/v1/documents?filename=a.md", rules); res.StatusCode != 404 {
		t.Errorf("a server without a desk: %d", res.StatusCode)
	}
}
