package graph

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"lexagent/retrieval"
	"lexagent/statute"
	"lexagent/verify"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The shapes below are what clients, run files and logs rely on. A change of one
// shows as a diff of its golden file and needs a reason.
func TestShapes(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	unit := statute.Unit{
		ID: "民法典@2020-05-28:1077", SourceID: "L1f:1077", LawID: "民法典@2020-05-28", Kind: statute.Article,
		Label: "第一千零七十七条", Number: 1077, Path: []string{"第五编　婚姻家庭", "第四章　离婚"},
		Text: "自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以向婚姻登记机关撤回离婚登记申请。", Order: 1076,
	}
	law := statute.Law{
		ID: "民法典@2020-05-28", SourceIDs: []string{"L1f"}, Title: "中华人民共和国民法典", Short: "民法典", Level: statute.PrimaryStatute,
		Version: "2020-05-28", Published: 20200528, Effective: 20210101, Declared: statute.InForce, Collection: "public",
	}
	hit := retrieval.Hit{
		ID: unit.ID, SourceID: unit.SourceID, Kind: unit.Kind, Law: law.Title, Label: unit.Label, Text: unit.Text, Score: 0.8125,
		LawID: law.ID, Path: unit.Path, Status: statute.InForce, Level: law.Level,
		Scores: &retrieval.Scores{Sparse: f(31.5), Dense: f(0.625), Fused: f(0.8125), Final: 0.8125},
	}
	answer := &Answer{
		Kind: Generated, Text: "可以撤回（《民法典》第一千零七十七条）。",
		Citations: []Citation{{
			ID: unit.ID, Law: law.Title, Label: unit.Label, Status: statute.InForce, Text: unit.Text, Spans: [][2]int{{5, 18}},
		}},
		Verification: verify.Record{
			Citations: verify.Passed, Support: verify.Passed, Rounds: 1,
			Review: &verify.Review{
				Evidence: verify.Judgement{Outcome: verify.Passed}, Consistency: verify.Judgement{Outcome: verify.NotDone},
				Completeness: verify.Judgement{Outcome: verify.Failed, Reasons: []string{"没有回答期限"}}, Missing: []string{"撤回离婚登记申请的期限"},
			},
			Findings: []verify.Finding{
				{Kind: verify.Reference, Text: "《民法典》第一千零七十七条", Start: 5, End: 18, ID: unit.ID, Law: law.Title, Label: unit.Label, Verdict: verify.Exists, Severity: verify.Fine},
				{Kind: verify.Reference, Text: "《民法典》第一千三百条", Law: law.Title, Label: "第一千三百条", Verdict: verify.NoSuchArticle, Severity: verify.False,
					Range: &[2]int{1, 1260}, Note: "《中华人民共和国民法典》没有第一千三百条，全文为第1条至第1260条"},
			},
			Removed: []string{"另见《民法典》第一千三百条。"},
		},
		Evidence: []string{unit.ID}, Notes: []string{},
		LLM: Usage{Calls: 1, PromptTokens: 900, CompletionTokens: 120},
	}
	for name, v := range map[string]any{
		"unit": unit, "law": law, "hit": hit, "answer": answer,
		"result":             retrieval.Result{Hits: []retrieval.Hit{hit}, Mode: retrieval.Hybrid, Notes: []string{}, Stages: map[string]float64{"sparse": 0.5}},
		"event_step_started": StepStarted{Step: Retrieve},
		"event_step_done":    StepDone{Step: Retrieve, MS: 12.5, Note: "5 条"},
		"event_evidence":     Evidence{Hits: []retrieval.Hit{hit}},
		"event_text":         Text{Text: "可以撤回"},
		"event_done":         Done{Answer: answer},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, v) })
	}
}

func golden(t *testing.T, name string, v any) {
	t.Helper()
	var got []byte
	var err error
	if e, ok := v.(Event); ok {
		got, err = MarshalEvent(e)
	} else {
		got, err = json.Marshal(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("%s is not JSON: %v", got, err)
	}
	pretty.WriteByte('\n')
	path := filepath.Join("testdata", "shapes", name+".golden.json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("shape changed; run with -update and say why.\ngot\n%s\nwant\n%s", pretty.Bytes(), want)
	}
}
