package main

import (
	"fmt"
	"io"
	"log/slog"
)

// open makes the log.
func (l *logConfig) open(to io.Writer) (*slog.Logger, error) {
	var o slog.HandlerOptions
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, fmt.Errorf("log.level is %q; it is debug, info, warn or error", l.Level)
	}
	o.Level = level
	switch l.Format {
	case "json":
		return slog.New(slog.NewJSONHandler(to, &o)), nil
	case "text":
		return slog.New(slog.NewTextHandler(to, &o)), nil
	}
	return nil, fmt.Errorf("log.format is %q; it is json or text", l.Format)
}
