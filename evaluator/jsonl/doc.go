// Package jsonl reads files that hold one JSON object a line, plain or gzipped,
// and names the line in every error. Run files and gold files are read by it;
// Lines serves their white-space separated kin, TREC runs and qrels.
package jsonl
