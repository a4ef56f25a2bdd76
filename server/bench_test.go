package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkStream measures what the server itself adds to a streamed answer of
// 14 chunks: its whole time, and the time to the first byte of the body.
func BenchmarkStream(b *testing.B) {
	s := serve(b)
	var first time.Duration
	for b.Loop() {
		req, err := http.NewRequest("POST", s.url+chatPath, strings.NewReader(ask(`,"stream":true`)))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		start := time.Now()
		res, err := s.client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		first += time.Since(start)
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			b.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(first.Microseconds())/float64(b.N), "µs/first-byte")
}

// BenchmarkArticle measures a look-up in a book that costs nothing.
func BenchmarkArticle(b *testing.B) {
	s := serve(b)
	for b.Loop() {
		if res, text := s.do("GET", article, ""); res.StatusCode != 200 {
			b.Fatal(text)
		}
	}
}
