package server

import (
	"slices"
	"time"
	"unicode/utf8"

	"lexagent/retrieval"
	"lexagent/statute"
)

// scopeFields are the fields by which a request of any kind says what may be
// searched and how. OpenAI's clients send them in extra_body.
type scopeFields struct {
	AsOf        string   `json:"as_of"`       // 2021-01-01, "any", or "" for today
	Region      string   `json:"region"`      // national law and this region's
	Levels      []int    `json:"levels"`      // 0 (Constitution) to 6 (other)
	Mode        string   `json:"mode"`        // one of retrieval.Modes
	Granularity string   `json:"granularity"` // article, chunk or dual
	Collections []string `json:"collections"` // default: public
}

// Bounds of the fields: far beyond any use, and small enough to be harmless.
const (
	maxNames    = 1000
	maxNameSize = 200 // characters
)

// scope is what the fields say.
type scope struct {
	retrieval.Scope
	mode retrieval.Mode        // "" = the default
	by   retrieval.Granularity // "" = the default
}

// scope checks the fields and gives them their types.
func (f *scopeFields) scope() (scope, error) {
	var none scope
	asOf, err := retrieval.ParseAsOf(f.AsOf)
	if err != nil {
		return none, err
	}
	sc := retrieval.Scope{AsOf: asOf, Region: f.Region, Collections: f.Collections}
	for _, n := range f.Levels {
		l, err := statute.ParseLevel(n)
		if err != nil {
			return none, badParam("levels", "%v", err)
		}
		if !slices.Contains(sc.Levels, l) {
			sc.Levels = append(sc.Levels, l)
		}
	}
	mode := retrieval.Mode(f.Mode)
	if mode != "" && !slices.Contains(retrieval.Modes, mode) {
		return none, badParam("mode", "there is no mode %q: the modes are %v", f.Mode, retrieval.Modes)
	}
	by := retrieval.Granularity(f.Granularity)
	if by != "" && !slices.Contains(retrieval.Granularities, by) {
		return none, badParam("granularity", "there is no granularity %q: they are %v", f.Granularity, retrieval.Granularities)
	}
	if utf8.RuneCountInString(f.Region) > maxNameSize {
		return none, badParam("region", "the region's name is too long")
	}
	sc.Collections = sc.Visible()
	return scope{sc, mode, by}, checkNames("collections", sc.Collections)
}

func checkNames(param string, names []string) error {
	if len(names) > maxNames {
		return badParam(param, "%d names are too many: at most %d are allowed", len(names), maxNames)
	}
	for _, n := range names {
		if n == "" || utf8.RuneCountInString(n) > maxNameSize {
			return badParam(param, "a name in %s is empty or longer than %d characters", param, maxNameSize)
		}
	}
	return nil
}

// scopeEcho tells the client how its fields were understood.
type scopeEcho struct {
	AsOf        string                `json:"as_of"` // the day, or "any"
	Region      string                `json:"region,omitempty"`
	Levels      []statute.Level       `json:"levels,omitempty"`
	Mode        retrieval.Mode        `json:"mode,omitempty"`        // as asked for; absent = the default
	Granularity retrieval.Granularity `json:"granularity,omitempty"` // likewise
	Collections []string              `json:"collections"`
}

func echoOf(sc retrieval.Scope, mode retrieval.Mode, by retrieval.Granularity, now time.Time) scopeEcho {
	day := "any"
	if !sc.AsOf.Any {
		day = sc.AsOf.On(now).String()
	}
	return scopeEcho{day, sc.Region, sc.Levels, mode, by, sc.Collections}
}
