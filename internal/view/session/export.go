package session

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Format is how sessions are laid out in a file.
type Format string

// The formats.
const (
	JSON  Format = "json"  // one object: a session, or {"sessions":[...]}
	JSONL Format = "jsonl" // a line for each session and each entry
)

// Formats lists the formats, for messages.
const Formats = "json or jsonl"

// ExportOptions select sessions and their format.
type ExportOptions struct {
	ID     string // this one; "": those with the prefix
	Prefix string // of their ids, or of their keys; "": all
	Format Format // "": JSON
}

// ExportReport is the result of an export.
type ExportReport struct {
	Sessions int `json:"sessions"`
	Entries  int `json:"entries"`
}

// Export writes sessions with their live records, sorted by id and key. Expired and deleted records
// are left out. The error may wrap ErrNotFound or mem.ErrInput.
func Export(ctx context.Context, s *mem.Store, c mem.Caller, w io.Writer, o ExportOptions) (
	rep ExportReport, err error) {
	op, err := s.Begin(c, policy.Session)
	if err != nil {
		return rep, err
	}
	e := exporter{ctx: ctx, store: s, caller: c, now: op.Now(), o: o, rep: &rep}
	err = e.write(w)
	op.Done(rep.Entries, err)
	return rep, err
}

type exporter struct {
	ctx    context.Context // of the one call that it lives for
	store  *mem.Store
	caller mem.Caller
	now    log.Stamp
	o      ExportOptions
	rep    *ExportReport
}

func (e *exporter) write(w io.Writer) error {
	begin, between, end, add := `{"sessions":[`, ",", "]}\n", appendObject
	switch {
	case e.o.Format == JSONL:
		begin, between, end, add = "", "", "", appendLines
	case e.o.Format != JSON && e.o.Format != "":
		return fmt.Errorf("format: %w: %q, want %s", mem.ErrInput, e.o.Format, Formats)
	case e.o.ID != "":
		begin, end = "", "\n"
	}
	list, err := e.sessions()
	if err != nil {
		return err
	}
	conf, err := e.store.ConfigToRead(e.ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(begin) // Flush returns the error
	for i, one := range list {
		s, err := e.collect(one, one.session.Rules(conf))
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteString(between)
		}
		out.Write(add(nil, s))
	}
	out.WriteString(end)
	return out.Flush()
}

// sessions returns those to be exported, by their ids, with their sizes.
func (e *exporter) sessions() (list []*Summary, err error) {
	var found []*Session
	if e.o.ID == "" {
		found, err = all(e.ctx, e.store, e.caller)
	} else {
		var one *Session
		one, err = find(e.ctx, stored{e.store, e.caller}, e.o.ID, e.now)
		found = []*Session{one}
	}
	if err != nil {
		return nil, err
	}
	prefix := strings.TrimPrefix(e.o.Prefix, keypath.Sessions+"/")
	for _, one := range found {
		if e.o.ID != "" || strings.HasPrefix(one.ID, prefix) {
			list = append(list, summaryOf(one))
		}
	}
	if len(list) == 0 && e.o.Prefix != "" {
		return nil, notFound(e.o.Prefix + "...")
	}
	return list, measure(e.ctx, e.store, e.caller, list...)
}

type exported struct {
	*Summary
	rules   Rules
	now     log.Stamp
	entries []*entry
}

func (e *exporter) collect(one *Summary, r Rules) (*exported, error) {
	told := &exported{Summary: one, rules: r, now: e.now}
	err := each(e.ctx, e.store, e.caller, keypath.Sessions+"/"+one.ID, func(rec log.Record) error {
		told.count(rec)
		told.entries = append(told.entries, entryOf(rec.Clone()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.rep.Sessions++
	e.rep.Entries += told.Entries
	return told, nil
}

// derived are the members of an export's metadata that are counted for it.
var derived = [...]string{"total_entries", "total_size_bytes", "last_accessed", "statistics"}

// metadata returns the stored metadata of the session, and its counts.
func (s *exported) metadata() []byte {
	var counts jsontext.Object
	whole := func(n int64) []byte { return strconv.AppendInt(nil, n, 10) }
	counts.Raw("conversations", whole(int64(s.Counts.Conversations)))
	counts.Raw("decisions", whole(int64(s.Counts.Decisions)))
	counts.Raw("findings", whole(int64(s.Counts.Findings)))
	counts.Raw("preferences", whole(int64(s.Counts.Preferences)))
	list := s.session.members.With("session_id", jsontext.AppendString(nil, s.ID))
	for i, value := range [...][]byte{whole(int64(s.Entries)), whole(s.Bytes),
		jsontext.AppendString(nil, s.LastWritten.String()), counts.Bytes()} {
		list = list.With(derived[i], value)
	}
	return list.Object()
}

func appendObject(dst []byte, s *exported) []byte {
	dst = append(append(dst, `{"metadata":`...), s.metadata()...)
	dst = append(dst, `,"entries":[`...)
	for i, e := range s.entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.object(e.factor(s.rules, s.now))...)
	}
	return append(dst, "]}"...)
}

func appendLines(dst []byte, s *exported) []byte {
	dst = append(append(dst, `{"metadata":`...), s.metadata()...)
	dst = append(dst, "}\n"...)
	for _, e := range s.entries {
		dst = append(append(dst, e.object(e.factor(s.rules, s.now))...), '\n')
	}
	return dst
}
