package model

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// needLibrary skips a test where libonnxruntime isn't installed, unless
// LEXAGENT_TEST_REAL=1 demands it.
func needLibrary(t testing.TB) {
	t.Helper()
	if os.Getenv(LibraryVariable) == "" {
		// Tests run in the package's folder; `make build` fills var/ above it.
		if found := libraryIn(filepath.Join("..", libraryFolder)); found != "" {
			t.Setenv(LibraryVariable, found)
		}
	}
	if _, err := FindLibrary(""); err != nil {
		if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func openShipped(t testing.TB, o Options) *Encoder {
	t.Helper()
	needLibrary(t)
	e, err := OpenEncoder(pretrained, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func encode(t testing.TB, e *Encoder, role Role, texts ...string) [][]float32 {
	t.Helper()
	v, err := e.Encode(t.Context(), texts, role)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var sentences = []string{
	"用人单位应当按照劳动合同约定和国家规定，向劳动者及时足额支付劳动报酬。",
	"自登记机关收到申请之日起三十日内，任何一方不愿意离婚的，可以撤回申请。",
	"", "a", "[SEP]", "😀", "\xff\xfe", "第一条　本法自公布之日起施行。",
	strings.Repeat("在道路上驾驶机动车，有下列情形之一的，处拘役，并处罚金。", 40),
}

func TestShippedEncoderTellsMeanings(t *testing.T) {
	e := openShipped(t, Options{})
	if err := e.SelfTest(t.Context()); err != nil {
		t.Error(err)
	}
	if e.Dim() != 512 || len(e.Digest()) != 16 || e.Name() == "" {
		t.Errorf("dim %d, digest %q, name %q", e.Dim(), e.Digest(), e.Name())
	}
}

func TestVectorsAreUnitAndKeepOrder(t *testing.T) {
	e := openShipped(t, Options{})
	all := encode(t, e, Passage, sentences...)
	for i, v := range all {
		if n := math.Sqrt(float64(dot(v, v))); math.Abs(n-1) > 1e-5 || len(v) != e.Dim() {
			t.Errorf("%.20q: %d dimensions, length %f", sentences[i], len(v), n)
		}
	}
	if got := encode(t, e, Passage); len(got) != 0 {
		t.Errorf("no texts gave %d vectors", len(got))
	}
}

func TestVectorDoesNotDependOnNeighbours(t *testing.T) {
	e := openShipped(t, Options{Workers: 3, BatchTokens: 4096})
	together := encode(t, e, Passage, slices.Concat(sentences, sentences, []string{"离婚", "工资", "租金"})...)
	for i, s := range sentences {
		alone := encode(t, e, Passage, s)[0]
		for _, v := range [][]float32{together[i], together[i+len(sentences)]} {
			if d := dot(alone, v); d < 1-1e-5 {
				t.Errorf("%.20q: alone and among others differ: cosine %f", s, d)
			}
		}
	}
}

func TestContextEndsEncoding(t *testing.T) {
	e := openShipped(t, Options{Workers: 1})
	long := slices.Repeat([]string{sentences[len(sentences)-1]}, 500)
	for _, role := range []Role{Query, Passage} {
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
		start := time.Now()
		_, err := e.Encode(ctx, long, role)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("role %d: %v, want the deadline's error", role, err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("role %d: returned %v after a deadline of 60 ms", role, took)
		}
	}
	encode(t, e, Passage, "still works")
}

func TestConcurrentCallsAndClose(t *testing.T) {
	needLibrary(t)
	e, err := OpenEncoder(pretrained, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := encode(t, e, Passage, "租金")[0]
	var calls sync.WaitGroup
	for i := range 12 {
		calls.Go(func() {
			v, err := e.Encode(t.Context(), []string{"租金", "押金"}, Role(i%2))
			switch {
			case errors.Is(err, ErrClosed):
			case err != nil:
				t.Error(err)
			case i%2 == int(Passage) && dot(want, v[0]) < 1-1e-5:
				t.Error("another vector under load")
			}
		})
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	calls.Wait()
	if _, err := e.Encode(t.Context(), []string{"a"}, Query); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func TestQueriesDoNotWaitForPassages(t *testing.T) {
	e := openShipped(t, Options{Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var background sync.WaitGroup
	background.Go(func() {
		for ctx.Err() == nil {
			_, err := e.Encode(ctx, slices.Repeat(sentences, 60), Passage)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
	var took []time.Duration
	for range 25 {
		start := time.Now()
		encode(t, e, Query, "公司拖欠工资怎么办？")
		took = append(took, time.Since(start))
		time.Sleep(2 * time.Millisecond)
	}
	cancel()
	background.Wait()
	slices.Sort(took)
	t.Logf("query beside passages: median %v, worst %v", took[len(took)/2], took[len(took)-1])
	// Behind a passage call a query would wait seconds. The bound is wide because
	// tests run on busy machines and under the race detector; BenchmarkQuery measures.
	if median := took[len(took)/2]; median > 200*time.Millisecond {
		t.Errorf("the median query took %v beside passages", median)
	}
}

func TestPlanPutsEqualLengthsTogether(t *testing.T) {
	lengths := []int{3, 5, 3, 9, 3, 5, 3}
	ids, out := make([][]int64, len(lengths)), make([][]float32, len(lengths))
	for i, n := range lengths {
		ids[i], out[i] = make([]int64, n), []float32{float32(i)}
	}
	var got [][]float32
	for _, b := range plan(ids, out, 8) {
		var places []float32
		for i, o := range b.out {
			if len(b.ids[i]) != len(b.ids[0]) {
				t.Errorf("lengths %d and %d in one batch", len(b.ids[i]), len(b.ids[0]))
			}
			places = append(places, o[0])
		}
		got = append(got, places)
	}
	want := [][]float32{{3}, {1}, {5}, {0, 2}, {4, 6}}
	if !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
		t.Errorf("batches %v, want %v", got, want)
	}
}
