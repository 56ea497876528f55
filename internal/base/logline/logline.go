package logline

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// The attributes that are members of the record itself.
const (
	Component = "component"
	Session   = "session_id"
)

// Options are how records are written.
type Options struct {
	Level slog.Level       // the least that is written
	Now   func() time.Time // the store's clock

	// Text returns what may be shown of a message, or of a text in metadata; nil: all of it.
	Text func(string) string
}

// handler writes each record as a line.
type handler struct {
	o     Options
	out   io.Writer
	turn  *sync.Mutex // for writing
	attrs []slog.Attr
	group string // of further attributes, with a dot behind; "" for none
}

// New returns a handler that writes to out.
func New(out io.Writer, o Options) slog.Handler {
	if o.Text == nil {
		o.Text = func(s string) string { return s }
	}
	return &handler{o: o, out: out, turn: new(sync.Mutex)}
}

// Enabled reports whether records of a level are written.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.o.Level }

// WithAttrs returns a handler whose records have more attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *h
	more.attrs = slices.Clip(h.attrs)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		more.attrs = append(more.attrs, a)
	}
	return &more
}

// WithGroup returns a handler that puts a name before those of further attributes.
func (h *handler) WithGroup(name string) slog.Handler {
	more := *h
	if name != "" {
		more.group += name + "."
	}
	return &more
}

// Handle writes a record. The error is that of the writer.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	attrs := slices.Clip(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		a.Key = h.group + a.Key
		attrs = append(attrs, a)
		return true
	})
	line := append(jsontext.AppendVisible(nil, h.record(r, attrs)), '\n')
	h.turn.Lock()
	defer h.turn.Unlock()
	_, err := h.out.Write(line)
	return err
}

// record returns a record as JSON.
func (h *handler) record(r slog.Record, attrs []slog.Attr) []byte {
	var line, metadata jsontext.Object
	component, session := "store", ""
	for _, a := range attrs {
		switch a.Key {
		case Component:
			component = a.Value.String()
		case Session:
			session = a.Value.String()
		default:
			metadata.Raw(a.Key, h.value(a.Value.Resolve()))
		}
	}
	line.Text("timestamp", h.o.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	line.Text("level", r.Level.String())
	line.Text(Component, component)
	line.TextUnlessEmpty(Session, session)
	line.Text("message", h.o.Text(r.Message))
	line.Raw("metadata", metadata.Bytes())
	return line.Bytes()
}

// value returns a value as JSON; as text where it has no such form.
func (h *handler) value(v slog.Value) []byte {
	var number any
	switch v.Kind() {
	case slog.KindDuration:
		number = float64(v.Duration().Microseconds()) / 1000
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool:
		number = v.Any()
	default:
		return jsontext.AppendString(nil, h.o.Text(v.String()))
	}
	text, err := json.Marshal(number)
	if err != nil {
		return jsontext.AppendString(nil, v.String())
	}
	return text
}
