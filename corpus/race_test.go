//go:build race

package corpus

func init() { underRace = true }
