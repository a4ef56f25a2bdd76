package prompts

import "testing"

// TestAgreementIsTheFormulaWhereIntentsAreCertain holds that distributions give
// LexPath's formula 5 for labels, and a share for what is open.
func TestAgreementIsTheFormulaWhereIntentsAreCertain(t *testing.T) {
	if len(Intents) != len(Odds{}) {
		t.Fatalf("%d intents, and odds of %d", len(Intents), len(Odds{}))
	}
	for _, a := range Intents {
		for _, b := range Intents {
			p, q := Certain(a), Certain(b)
			if got := p.Agree(&q); (got == 1) != (a == b) || got != 0 && got != 1 || p.Best() != a {
				t.Errorf("%s and %s: %g", a, b, got)
			}
		}
	}
	open, sure := Odds{0.5, 0, 0.5}, Certain(Consequence)
	if got := open.Agree(&sure); got != 0.5 {
		t.Errorf("half of the probability is shared, not %g", got)
	}
	none := Certain("no intent")
	if none != (Odds{}) || none.Best() != "" {
		t.Errorf("nothing is known, and the best is %s", none.Best())
	}
}
