package statute

import "fmt"

// Level is a law's place in the legal hierarchy (LexPath § 3.3). Levels 0 to 4
// are ordered tiers; 5 and 6 are categories beside them.
type Level int8

// The seven levels.
const (
	Constitution             Level = 0 // 宪法 and its amendments
	PrimaryStatute           Level = 1 // laws of the National People's Congress and its committee
	AdministrativeRegulation Level = 2 // of the State Council
	LocalRegulation          Level = 3 // local and autonomous regulations
	Rule                     Level = 4 // of departments and local governments
	JudicialInterpretation   Level = 5 // of the supreme court and procuratorate
	OtherDocument            Level = 6
)

// Ordered reports whether the level is one of the ordered tiers, 0 to 4.
func (l Level) Ordered() bool { return l >= Constitution && l <= Rule }

// Valid reports whether the level is one of the seven.
func (l Level) Valid() bool { return l >= Constitution && l <= OtherDocument }

// ParseLevel checks a number given by a user.
func ParseLevel(n int) (Level, error) {
	if l := Level(n); n >= 0 && n <= 6 && l.Valid() {
		return l, nil
	}
	return 0, fmt.Errorf("there is no level %d: levels are 0 (Constitution) to 6 (other documents)", n)
}
