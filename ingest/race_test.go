//go:build race

package ingest

func init() { underRace = true }
