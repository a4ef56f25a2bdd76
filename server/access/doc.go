// Package access holds the API keys of a server: who may ask it what, and which
// collections they see.
//
// Keys lie in one small JSON file, keys.json in the data folder. It holds no key
// itself, only each one's digest. A file, and not a table of the statute book: the
// book can be made anew or come as a read-only snapshot, replicas may be given the
// keys as a mounted secret, and a file can be read by the person who must answer
// for it.
//
// A key that was revoked stays in the file, so that a server whose last key is
// revoked refuses everyone instead of opening to all.
package access
