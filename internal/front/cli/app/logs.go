package app

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/spf13/cobra"
)

// The log on stderr. A record is one JSON line with --json, or where --log-level asks for more than
// warnings; else a warning is a line for people. The error of a command is printed once,
// and logged as a record only where the log was asked for.

// levelOf returns the level of a name that --log-level takes; the one of info for another name.
func levelOf(name string) (level slog.Level) {
	_ = level.UnmarshalText([]byte(name)) // the flag has been checked
	return level
}

// WantsLog reports whether more than warnings was asked for.
func (a *App) WantsLog() bool { return a.LogLevel == "info" || a.LogLevel == "debug" }

// logsJSON reports whether records are JSON lines.
func (a *App) logsJSON() bool { return a.WantsLog() || a.JSON }

func (a *App) logger(stderr io.Writer) *slog.Logger {
	if !a.logsJSON() {
		return slog.New(onceLog{plainLog{a, stderr}, new(sync.Map)})
	}
	level := levelOf(a.LogLevel)
	if a.Quiet && !a.WantsLog() {
		level = slog.LevelError
	}
	now, err := a.Clock()
	if err != nil { // the command will fail with that
		now = func() time.Time { return time.Time{} }
	}
	return slog.New(onceLog{logline.New(behindBar{a, stderr}, logline.Options{
		Level: level, Now: now, Text: mem.MaskSecrets,
	}), new(sync.Map)})
}

// LogTo sets the log of a store.
func (a *App) LogTo(cmd *cobra.Command, o *mem.Options) {
	to := a.logger(cmd.ErrOrStderr())
	o.Log = to
	if a.Talks() {
		o.Warn = func(msg string) { to.Warn(msg) }
	}
	if a.LogLevel == "debug" {
		o.Debug = func(msg string) { to.Debug(msg) }
	}
}

// logFailure logs the error of a command, where the log was asked for.
func (a *App) logFailure(stderr io.Writer, err error) {
	if !a.WantsLog() {
		return
	}
	switch msg := Message(err); mem.KindOf(err) {
	case mem.KindLocked:
		a.logger(stderr).Warn(msg, logline.Component, "lock")
	case mem.KindIO:
		a.logger(stderr).Error(msg)
	}
}

// behindBar writes where no bar stands any more.
type behindBar struct {
	a  *App
	to io.Writer
}

// Write writes a record.
func (b behindBar) Write(line []byte) (int, error) {
	b.a.Bar.finish()
	return b.to.Write(line)
}

// onceLog drops an error that was logged before: each look at a store finds its damage again.
type onceLog struct {
	slog.Handler
	logged *sync.Map // by message
}

// Handle logs a record.
func (l onceLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		if _, isKnown := l.logged.LoadOrStore(r.Message, true); isKnown {
			return nil
		}
	}
	return l.Handler.Handle(ctx, r)
}

// plainLog prints warnings and errors for people, and no other records.
type plainLog struct {
	a      *App
	stderr io.Writer
}

// Enabled reports whether a record is printed: errors always, warnings unless stderr is to have
// errors alone.
func (l plainLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelError && !l.a.mute && !l.a.IsHook ||
		level >= slog.LevelWarn && l.a.Talks()
}

// Handle prints a record.
func (l plainLog) Handle(_ context.Context, r slog.Record) error {
	kind := "warning"
	if r.Level >= slog.LevelError {
		kind = "error"
	}
	return l.a.printLine(l.stderr, kind, r.Message)
}

// WithAttrs returns the same: people get the message alone.
func (l plainLog) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup returns the same.
func (l plainLog) WithGroup(string) slog.Handler { return l }
