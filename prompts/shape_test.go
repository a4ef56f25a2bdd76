package prompts

import (
	"encoding/json"
	"testing"
)

// sample makes a reply that a schema allows: the shortest lists, the first of what is
// enumerated.
func sample(t *testing.T, schema json.RawMessage) any {
	t.Helper()
	var s struct {
		Type       string
		Enum       []any
		Required   []string
		Properties map[string]json.RawMessage
		Additional *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "string":
		return "登记机关应当登记"
	case s.Type == "array":
		return []any{}
	case len(s.Required) != len(s.Properties) || s.Additional == nil || *s.Additional:
		t.Fatalf("%s: endpoints that are strict want every field required, and no others", schema)
	}
	out := map[string]any{}
	for name, p := range s.Properties {
		out[name] = sample(t, p)
	}
	return out
}

// A reply of the shape that an endpoint is told is one that is accepted.
func TestShapesAreAccepted(t *testing.T) {
	prompt := func(p Prompt, err error) Prompt {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, one := range []struct {
		prompt Prompt
		accept func(string) error
	}{
		{prompt(IRAC("问")), func(r string) error { _, err := ParseIRAC(r); return err }},
		{prompt(QR("问")), func(r string) error { _, err := ParseRewrite(r); return err }},
		{prompt(Query2Doc("问")), func(r string) error { _, err := ParsePassage(r); return err }},
		{prompt(HyDE("问")), func(r string) error { _, err := ParsePassage(r); return err }},
		{prompt(QuestionIntent("问")), func(r string) error { _, err := ParseIntent(r); return err }},
		{prompt(ArticleIntent("名", "文")), func(r string) error { _, err := ParseIntent(r); return err }},
		{prompt(Evaluate("问", nil)), func(r string) error { _, err := ParseGrade(r); return err }},
		{prompt(AskReview(ReviewInput{Question: "问", Answer: "答"})), func(r string) error { _, err := ParseReview(r); return err }},
		{prompt(Judge(JudgeInput{Question: "问", Answer: "答"})), func(r string) error { _, _, err := ParseVerdict(r); return err }},
		{prompt(Judge(JudgeInput{Question: "问", Answer: "答", Dimension: "accuracy"})), func(r string) error { _, err := ParseScore(r, "accuracy", new(Scores)); return err }},
	} {
		if one.prompt.Schema == nil {
			t.Errorf("%s has no shape", one.prompt.Version)
			continue
		}
		reply, err := json.Marshal(sample(t, one.prompt.Schema))
		if err != nil {
			t.Fatal(err)
		}
		if err := one.accept(string(reply)); err != nil {
			t.Errorf("%s: %s: %v", one.prompt.Version, reply, err)
		}
	}
}
