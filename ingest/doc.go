// Package ingest is the engine that fills the statute book and the indexes made
// from it. The command and the server both use it.
//
// Ingesting is repeatable: an input that is stored completely is recognised by
// its digest and passed over, a law stored twice is stored once, and a process
// killed at any moment goes on where it was and ends with the same book and the
// same index. Work is stored in transactions of whole laws; one input that can't
// be read is reported and the rest is stored.
//
// An input that has changed replaces what it brought (book.Intake), one that is gone
// is taken out when asked (Options.Prune), and what could not be read removes nothing.
//
// Workers share the inputs (Options.Shard), each with a data folder of its own. A path
// may be a data folder: its inputs are taken from its book as they were read, and its
// vectors with them, so that the workers' folders together give what one ingest gives.
package ingest
