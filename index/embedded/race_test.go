//go:build race

package embedded_test

func init() { underRace = true }
