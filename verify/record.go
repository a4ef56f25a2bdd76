package verify

// Verdict is the outcome of checking one reference against the statute book.
// "Not found" and "not checked" are different verdicts.
type Verdict string

// The verdicts of the deterministic checks.
const (
	Exists        Verdict = "exists"          // the article exists, is in force, and was in the evidence
	NotInEvidence Verdict = "not_in_evidence" // it exists, but the draft was not given it
	NoSuchArticle Verdict = "no_such_article" // the law exists and has no such article
	NoSuchLaw     Verdict = "no_such_law"     // no law of this name is in the book
	NotInForce    Verdict = "not_in_force"    // it exists, and is not in force on the day asked about
	NotChecked    Verdict = "not_checked"     // what it refers to could not be told
)

// Bad reports whether text that rests on this reference must not leave as it is.
func (v Verdict) Bad() bool {
	return v == NoSuchArticle || v == NoSuchLaw || v == NotInForce || v == NotInEvidence
}

// Finding is one reference in a text, and what was found out about it.
type Finding struct {
	Text    string  `json:"text"`           // as written
	Start   int     `json:"start"`          // place in the text, in characters
	End     int     `json:"end"`            // one past its last character; 0 when its passage was removed
	ID      string  `json:"id,omitempty"`   // the unit it resolves to
	Verdict Verdict `json:"verdict"`        //
	Note    string  `json:"note,omitempty"` // what to know: the law's range, the nearest real title, the status
}

// Outcome is the result of one kind of check over a whole draft.
type Outcome string

// The outcomes of a check.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	NotDone Outcome = "not_checked"
)

// Record is the verification record of an answer: what was checked, what was
// found, and what was taken out because of it.
type Record struct {
	Citations Outcome   `json:"citations"` // passed: every article that the text cites exists, is in force and was in the evidence
	Findings  []Finding `json:"findings"`  // those in the text, in order, then those of removed passages
	Removed   []string  `json:"removed"`   // passages of the draft that did not pass, in order
}
