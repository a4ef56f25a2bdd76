package main

import (
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"lexagent/server"
	"lexagent/server/journal"
)

// Files of the data folder that serve writes records into.
const (
	auditFile    = "audit.jsonl"
	feedbackFile = "feedback.jsonl"
)

func (c *config) journals() (audit, feedback *journal.File) {
	return journal.Open(filepath.Join(c.Data, auditFile), 0), journal.Open(filepath.Join(c.Data, feedbackFile), 0)
}

// exportFeedback writes what readers said as a rating form of the judge. Who rates
// an answer again replaces what they said before; those without a key are many, and
// replace nothing. Thumbs are not turned into ratings: that would invent them.
func exportFeedback(to io.Writer, data string) error {
	var all []server.Feedback
	at := map[[2]string]int{}
	err := journal.Read(filepath.Join(data, feedbackFile), func(f server.Feedback) error {
		who := [2]string{f.Key, f.Answer}
		if i, again := at[who]; again && f.Key != "" {
			all[i] = f
			return nil
		}
		at[who] = len(all)
		all = append(all, f)
		return nil
	})
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	err = w.Write([]string{"code", "relevance", "accuracy", "completeness", "fluency", "rating", "reason", "time", "key"})
	for i := range all {
		f := &all[i]
		row := []string{f.Answer, "", "", "", "", f.Rating, f.Reason, f.Time.Format(time.RFC3339), f.Key}
		if s := f.Scores; s != nil {
			for j, v := range []float64{s.Relevance, s.Accuracy, s.Completeness, s.Fluency} {
				row[1+j] = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		err = errors.Join(err, w.Write(row))
	}
	w.Flush()
	return errors.Join(err, w.Error())
}
