package milvus

import (
	"fmt"
	"regexp"
	"time"
)

// Kinds of dense index.
const (
	Flat = "flat" // compares with every vector: exact
	HNSW = "hnsw" // a graph: approximate, for millions of documents
)

// Options say where Milvus is and how it is used. Only Address is needed.
type Options struct {
	Address  string // host:port, or https://host[:port] for TLS
	User     string // "" = the server asks for none
	Password string
	TLS      bool          // with the certificates that the system trusts
	Database string        // "" = the server's default
	Prefix   string        // alias, and begin of all names of collections; "" = "lexagent"
	Dense    string        // index of generations published from now on: Flat ("" too) or HNSW
	Timeout  time.Duration // of one call of a search; 0 = 10 s
	Patience time.Duration // how long a search retries while the server is away; 0 = 2 s
}

const (
	defaultPrefix   = "lexagent"
	defaultTimeout  = 10 * time.Second
	defaultPatience = 2 * time.Second
	writeTimeout    = 5 * time.Minute // of one call that writes, flushes or loads
	writePatience   = time.Minute     // a restart of the server doesn't end a copy
)

var validPrefix = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// fill sets the defaults and checks the rest.
func (o *Options) fill() error {
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if o.Dense == "" {
		o.Dense = Flat
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	switch {
	case o.Address == "":
		return fmt.Errorf("the address of Milvus is missing, such as 127.0.0.1:19530")
	case !validPrefix.MatchString(o.Prefix):
		return fmt.Errorf("%q is not a name for a collection: use up to 100 letters, digits and _, not a digit first", o.Prefix)
	case o.Dense != Flat && o.Dense != HNSW:
		return fmt.Errorf("there is no dense index %q; there are %s and %s", o.Dense, Flat, HNSW)
	}
	return nil
}
