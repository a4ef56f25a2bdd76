package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"lexagent/ingest/uploads"
	"lexagent/tools"
)

// jobPause is how long the state of a job is not asked for again.
const jobPause = 50 * time.Millisecond

// inbox takes in the documents that MCP clients store, as uploads.
type inbox struct{ desk *uploads.Desk }

// Index stores a document, in the place of an earlier one of this title, and waits
// until it is found.
func (b inbox) Index(ctx context.Context, collection, title, text string) (int, error) {
	name := strings.NewReplacer("/", "／", `\`, "＼").Replace(title) + ".md"
	job, err := b.desk.Add(ctx, collection, []uploads.File{{Name: name, Body: []byte("# " + title + "\n\n" + text + "\n")}})
	var refused *uploads.FileError
	switch {
	case errors.As(err, &refused):
		return 0, &tools.Problem{Text: "文件没有存入：" + refused.Error()}
	case errors.Is(err, uploads.ErrFull):
		return 0, &tools.Problem{Text: "等待存入的文件太多，稍后再存一次。"}
	case err != nil:
		return 0, err
	}
	for job.State != uploads.Done {
		if job.State == uploads.Failed {
			return 0, &tools.Problem{Text: "文件没有存入：" + job.Error}
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err() // the job goes on
		case <-time.After(jobPause):
		}
		if job, err = b.desk.Job(job.ID); err != nil {
			return 0, err
		}
	}
	return job.Report.Units, nil
}
