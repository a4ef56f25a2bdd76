package embedded_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lexagent/index/embedded"
	"lexagent/index/storetest"
)

const (
	killedDim = 16
	killedEnv = "EMBEDDED_TEST_KILLED" // root and generation for the process that gets killed
)

func rowOf(i int) []float32 { return slices.Repeat([]float32{float32(i + 1)}, killedDim) }

// TestKilledVectors kills a process (SIGKILL) that writes vectors, several times
// over, and holds that every row counted is whole and every checkpoint is kept.
func TestKilledVectors(t *testing.T) {
	if where := os.Getenv(killedEnv); where != "" {
		writeUntilKilled(t, where)
		return
	}
	const n = 8000
	s, root := open(t, storetest.Docs(rand.New(rand.NewPCG(21, 1)), n))
	name := s.Manifest().Name()
	for round := range 4 {
		told := killWriter(t, root+"\n"+name, 3+round)
		done, _ := s.Vectors()
		if done < told {
			t.Fatalf("%d rows were told and %d are there", told, done)
		}
		for i := range done {
			if got := s.Vector(i); !slices.Equal(got, rowOf(i)) {
				t.Fatalf("row %d is %v", i, got)
			}
		}
	}
}

// killWriter starts a writer, kills it after some checkpoints and returns how many
// rows it had told of.
func killWriter(t *testing.T, where string, checkpoints int) (told int) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestKilledVectors$")
	c.Env = append(os.Environ(), killedEnv+"="+where)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range checkpoints {
		if !lines.Scan() {
			break
		}
		if _, err := fmt.Sscanf(lines.Text(), "rows %d", &told); err != nil {
			t.Errorf("the writer said %q", lines.Text())
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the writer ended before it was killed")
	}
	return told
}

func writeUntilKilled(t *testing.T, where string) {
	root, name, _ := strings.Cut(where, "\n")
	w, err := embedded.OpenVectors(root, name, "killed", killedDim)
	if err != nil {
		t.Fatal(err)
	}
	for {
		for range 20 {
			if err := w.Append(rowOf(w.Rows())); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Checkpoint(); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("rows %d\n", w.Rows())
	}
}
