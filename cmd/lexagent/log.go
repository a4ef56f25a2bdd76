package main

import (
	"fmt"
	"io"
	"log/slog"
)

// open makes the log.
func (l *logConfig) open(to io.Writer, level *slog.LevelVar) (*slog.Logger, error) {
	o := slog.HandlerOptions{Level: level}
	if err := l.setLevel(level); err != nil {
		return nil, err
	}
	switch l.Format {
	case "json":
		return slog.New(slog.NewJSONHandler(to, &o)), nil
	case "text":
		return slog.New(slog.NewTextHandler(to, &o)), nil
	}
	return nil, fmt.Errorf("log.format is %q; it is json or text", l.Format)
}

func (l *logConfig) setLevel(level *slog.LevelVar) error {
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return fmt.Errorf("log.level is %q; it is debug, info, warn or error", l.Level)
	}
	return nil
}
