package server

import "time"

// Live are the options that a running server takes anew: no connection is closed and no
// request ends. They mean what they mean in Options.
type Live struct {
	PublicURL         string
	Origins, Hosts    []string
	RequestsPerMinute int
	TokensPerDay      int
	Retention         time.Duration
	CacheSearches     time.Duration
	Disclaimer        string
}

// Live returns what of the options a running server can be given anew.
func (o *Options) Live() Live {
	return Live{
		o.PublicURL, o.Origins, o.Hosts, o.RequestsPerMinute, o.TokensPerDay, o.Retention, o.CacheSearches, o.Disclaimer,
	}
}

// Take sets them in the options.
func (o *Options) Take(l Live) {
	o.PublicURL, o.Origins, o.Hosts, o.RequestsPerMinute, o.TokensPerDay = l.PublicURL, l.Origins, l.Hosts, l.RequestsPerMinute, l.TokensPerDay
	o.Retention, o.CacheSearches, o.Disclaimer = l.Retention, l.CacheSearches, l.Disclaimer
}

// Apply has requests that begin from now on see other options. A retention of
// zero is its default, as in Options.
func (s *Server) Apply(l Live) {
	setDefault(&l.Retention, defaultRetention)
	s.applied.Store(&l)
}

// live are the options that hold now.
func (s *Server) live() *Live { return s.applied.Load() }
