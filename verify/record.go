package verify

import "lexagent/statute"

// Kind says what a finding is about.
type Kind string

// The kinds of findings.
const (
	Reference Kind = "reference" // a law or an article that the text names
	Quote     Kind = "quote"     // words that the text gives as an article's
	Figure    Kind = "figure"    // an amount, a time, a share, an age
	Sentence  Kind = "sentence"  // what a sentence says
)

// Verdict is the outcome of checking one thing against the statute book. "Not
// found" and "not checked" are different verdicts.
type Verdict string

// The verdicts of the deterministic checks.
const (
	Exists          Verdict = "exists"            // the article or law exists, is in force, and was in the evidence where there is any
	NotInEvidence   Verdict = "not_in_evidence"   // it exists, but the draft was not given it
	NoSuchArticle   Verdict = "no_such_article"   // the law exists and has no such article
	NoSuchParagraph Verdict = "no_such_paragraph" // the article exists and has no such paragraph (款) or item (项)
	NoSuchLaw       Verdict = "no_such_law"       // no law of this name is in the book
	NotInForce      Verdict = "not_in_force"      // it exists, and is not in force on the day asked about; of a quotation: the words are an earlier version's

	Verbatim  Verdict = "verbatim"  // word for word in the article; marks, white space and the spelling of numbers apart
	Stitched  Verdict = "stitched"  // the article's words, with whole clauses left out
	Altered   Verdict = "altered"   // the article's words, changed
	Elsewhere Verdict = "elsewhere" // word for word in another article than the one named
	Nowhere   Verdict = "nowhere"   // neither in the article named nor anywhere in the book

	FigureFound    Verdict = "found"     // it stands in the evidence or the question
	FigureNotFound Verdict = "not_found" // it doesn't

	NoSupport  Verdict = "no_support"  // of a sentence: nothing in the evidence says so
	Reversed   Verdict = "reversed"    // of a sentence: the evidence says 不得 where it says 可以, or the like
	OtherParty Verdict = "other_party" // of a sentence: it says of one party what the evidence says of another
	LeftOut    Verdict = "left_out"    // of a sentence: the line that it repeats has an exception, or its article items, that the text does not have
	Misplaced  Verdict = "misplaced"   // of a sentence: it cites one article of the evidence, and another one says so

	NotChecked Verdict = "not_checked" // what it refers to could not be told, or there was nothing to check against
)

// Severity is what a verdict means for the text.
type Severity string

// The severities. A text is not ok when a finding is False.
const (
	Fine        Severity = "ok"
	Unsupported Severity = "unsupported" // not shown to be wrong, and nothing here bears it out
	False       Severity = "false"       // the book says otherwise
	Unchecked   Severity = "unchecked"
)

// Finding is one thing in a text, and what was found out about it.
type Finding struct {
	Kind       Kind         `json:"kind"`
	Text       string       `json:"text"`                 // as written
	Start      int          `json:"start"`                // place in the text, in characters
	End        int          `json:"end"`                  // one past its last character; 0 when its passage was removed
	ID         string       `json:"id,omitempty"`         // the unit it resolves to, or that a quotation was found in
	Law        string       `json:"law,omitempty"`        // title of its law
	Label      string       `json:"label,omitempty"`      // 第一千零七十七条, also of an article that isn't there
	Span       *[2]int      `json:"span,omitempty"`       // of a quotation: its place in the unit's text, in characters
	Verdict    Verdict      `json:"verdict"`              //
	Severity   Severity     `json:"severity"`             //
	Ended      statute.Date `json:"ended,omitempty"`      // first day on which the law is no longer in force
	Successor  string       `json:"successor,omitempty"`  // title of the law that took its place
	Range      *[2]int      `json:"range,omitempty"`      // first and last article of the law, where there is no such article
	Suggestion string       `json:"suggestion,omitempty"` // what may be meant: the nearest title, the article most like the quotation; never taken as found
	Diff       []Edit       `json:"diff,omitempty"`       // how an altered or stitched quotation differs
	Note       string       `json:"note,omitempty"`       // one sentence for a reader
}

// Bad reports whether text that rests on this must not leave as it is.
func (f *Finding) Bad() bool {
	return f.Severity == False || f.Verdict == NoSuchLaw || f.Verdict == NotInEvidence || f.Verdict == Misplaced
}

// Report is what was found out about a text.
type Report struct {
	OK       bool         `json:"ok"`       // nothing is false
	AsOf     statute.Date `json:"as_of"`    // the day whose law it was checked against; null = any
	Findings []Finding    `json:"findings"` // in the order of the text
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
	Citations Outcome   `json:"citations"`        // passed: every article that the text cites exists, is in force and was in the evidence, and no quotation is false
	Support   Outcome   `json:"support"`          // passed: the evidence bears out every sentence, as far as words and meaning tell
	Review    *Review   `json:"review,omitempty"` // the language model's verdicts; absent where none was asked
	Rounds    int       `json:"rounds"`           // drafts that were written
	Findings  []Finding `json:"findings"`         // those in the text, in order, then those of removed passages
	Removed   []string  `json:"removed"`          // passages of the drafts that did not pass, in order
}
