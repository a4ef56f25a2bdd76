package retrieval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Lambda are the weights of LexPath's rerank score, s = λ1·reranker + λ2·fused +
// λ3·[intent of the question = intent of the article] (§ 3.5, formula 6).
type Lambda struct {
	Rerank float64 `json:"rerank"`
	Fused  float64 `json:"fused"`
	Intent float64 `json:"intent"`
}

// Params are the parameters of LexPath.
type Params struct {
	Alpha  float64 // weight of the sparse path in fusion
	Lambda Lambda
	Pool   int // candidates that are reranked
}

// presets are the parameters as tuned in LexPath § 4.1, by data set.
var presets = map[string]Params{
	"stard":      {DefaultAlpha, Lambda{1, 1, 1.5}, DefaultPool},
	"lexrag":     {DefaultAlpha, Lambda{1, 1, 0.3}, DefaultPool},
	"statuterag": {DefaultAlpha, Lambda{1, 1, 1.5}, DefaultPool},
	"coliee":     {DefaultAlpha, Lambda{1, 1, 1.5}, DefaultPool},
}

// DefaultPreset is the preset of a query that names none.
const DefaultPreset = "stard"

// Presets lists the names of the presets.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// Preset returns the parameters with a name.
func Preset(name string) (Params, error) {
	p, ok := presets[name]
	if !ok {
		return Params{}, &InputError{"preset", fmt.Sprintf("there is no preset %q: use %s", name, strings.Join(Presets(), ", "))}
	}
	return p, nil
}

func (l Lambda) check() error {
	for _, w := range []float64{l.Rerank, l.Fused, l.Intent} {
		if !(w >= 0) || math.IsInf(w, 0) {
			return &InputError{"lambda", fmt.Sprintf("lambda is %v, %v, %v; each must be 0 or more", l.Rerank, l.Fused, l.Intent)}
		}
	}
	return nil
}
