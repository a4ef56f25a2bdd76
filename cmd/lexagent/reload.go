package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"lexagent/server"
)

// liveSettings are those that a running server takes anew, by their paths in the file.
var liveSettings = []string{
	"public_url", "access.origins", "access.hosts", "access.requests_per_minute", "access.tokens_per_day", "conversations.days", "load.cache", "disclaimer",
	"log.level",
}

// live is what of the settings a running server takes anew.
func (c *config) live() server.Live {
	l := server.Live{
		PublicURL: c.PublicURL, Origins: c.Access.Origins, Hosts: c.Access.Hosts, RequestsPerMinute: c.Access.PerMinute, TokensPerDay: c.Access.Tokens,
		Retention: time.Duration(c.Conversations.Days) * 24 * time.Hour, CacheSearches: c.Load.Cache,
	}
	if c.Disclaimer != "none" {
		l.Disclaimer = c.Disclaimer
	}
	return l
}

// takeAnew reads the settings again whenever the process is sent SIGHUP, until ctx ends.
// Settings with a mistake are not taken, none of them. Those that need another start are
// named.
func (c *config) takeAnew(ctx context.Context, srv *server.Server, level *slog.LevelVar, log *slog.Logger) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	for {
		select {
		case <-ctx.Done():
			return
		case <-again:
		}
		next := *c
		err := next.read()
		if err == nil {
			err = next.Log.setLevel(level)
		}
		if err != nil {
			log.Error("the settings stay as they were", "error", err)
			continue
		}
		srv.Apply(next.live())
		log.Info("settings were read again", "need_a_restart", strings.Join(c.changed(&next), ", "))
	}
}

// changed names the settings that differ and are not live. Values are not told: some are
// secret.
func (c *config) changed(next *config) []string {
	var names []string
	was, is := settingsOf(reflect.ValueOf(c).Elem(), ""), settingsOf(reflect.ValueOf(next).Elem(), "")
	for i := range was {
		if s := &was[i]; s.group() || slices.Contains(liveSettings, s.path) || reflect.DeepEqual(s.value.Interface(), is[i].value.Interface()) {
			continue
		}
		if was[i].path == "" { // a secret has no place in the file
			names = append(names, was[i].env)
		} else {
			names = append(names, was[i].path)
		}
	}
	return names
}
