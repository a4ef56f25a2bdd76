// Package uploads takes documents that people bring to a running server, and has
// them ingested, one job at a time.
//
//	desk, err := uploads.Open(uploads.Options{Dir: data, Ingest: …})
//	go desk.Run(ctx)                                // works until ctx ends
//	job, err := desk.Add(ctx, "firm", files)        // returns at once; what can't be read is refused here
//	job, err = desk.Job(job.ID)                     // how far it is, then what it brought
//	job, err = desk.Remove("firm", "rules.md")      // takes out what it brought, and deletes it
//
// A file is kept in the data folder under its collection and its own name, so that
// the same name brought again replaces what it brought before, as with files on
// disk. Jobs are kept beside them: a job that was under way when the process ended
// is done again by the next one, which costs nothing for what is stored already.
//
// Nothing goes into the default collection. That holds the law, and is filled by
// those who run the server.
package uploads
