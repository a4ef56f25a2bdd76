package ingest

import (
	"context"
	"errors"
	"testing"

	"lexagent/index/embedded"
)

// elsewhere is a publisher that notes what it was given.
type elsewhere struct {
	vectors []int
	err     error
}

func (e *elsewhere) Publish(_ context.Context, s *embedded.Store, told func(done, total int)) (string, error) {
	done, total := s.Vectors()
	e.vectors = append(e.vectors, done)
	told(total, total)
	return "copy", e.err
}

// TestPublish holds that an index is published once its vectors are made, also when
// nothing has changed, since an earlier copy may have been interrupted.
func TestPublish(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	writeLaws(t, src, 2)
	to := &elsewhere{}
	var stages []string
	o := Options{Publisher: to, Progress: func(p Progress) {
		if len(stages) == 0 || stages[len(stages)-1] != p.Stage {
			stages = append(stages, p.Stage)
		}
	}}
	report, err := Run(context.Background(), dir, []string{src}, o)
	if err != nil || report.Published != "copy" || stages[len(stages)-1] != "publish" {
		t.Fatalf("%+v, %v, %v", report, stages, err)
	}
	o.Encoder = &bags{}
	for range 2 {
		if report, err = Run(context.Background(), dir, []string{src}, o); err != nil {
			t.Fatal(err)
		}
	}
	all := report.Vectors.Total
	if len(to.vectors) != 3 || to.vectors[0] != 0 || to.vectors[1] != all || to.vectors[2] != all || all == 0 {
		t.Errorf("published with %v vectors of %d", to.vectors, all)
	}
	to.err = errors.New("the server is away")
	if _, err := Run(context.Background(), dir, []string{src}, o); !errors.Is(err, to.err) {
		t.Errorf("a failed copy gave %v", err)
	}
}
