package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// maxImport is how many bytes an import may have: all of it is checked before anything is written.
const maxImport = 256 << 20

// Incoming is what an import reads: a file, or a stream.
type Incoming struct {
	Path   string
	Stream io.Reader // nil: it is at Path
}

// ImportOptions are the options of an import.
type ImportOptions struct {
	DryRun    bool // only report what it would do
	KeepGoing bool // store the good entries although others are bad
	// AllowSecrets is as in mem.SetOptions, for every entry.
	AllowSecrets []string
}

// ImportReport is the result of an import. But for Sessions it counts entries.
type ImportReport struct {
	Sessions  int  `json:"sessions"`  // that the import names
	New       int  `json:"new"`       // that were stored
	Unchanged int  `json:"unchanged"` // that were there already
	Stale     int  `json:"stale"`     // of whose id the store says something else
	Deleted   int  `json:"deleted"`   // that were deleted here, or whose session was
	Damaged   int  `json:"damaged"`   // whose checksum is wrong
	Refused   int  `json:"refused"`   // that are bad
	DryRun    bool `json:"dry_run"`   // nothing was written
}

func (r *ImportReport) add(o ImportReport) {
	r.New += o.New
	r.Unchanged += o.Unchanged
	r.Stale += o.Stale
	r.Deleted += o.Deleted
}

// DamagedError has every entry of an import whose checksum is wrong (S-42). They were left out, the
// others stored. errors.Is(err, ErrChecksum) holds.
type DamagedError struct{ Lines []*mem.LineError }

func (e *DamagedError) Error() string { return (&mem.BatchError{Lines: e.Lines}).Error() }

// Unwrap returns the first of them.
func (e *DamagedError) Unwrap() error { return e.Lines[0] }

// Kind is that of the answer no: not all that the file has is stored.
func (e *DamagedError) Kind() string { return string(mem.KindNo) }

// Advice returns what to do.
func (e *DamagedError) Advice() advice.List {
	return advice.Say("these were left out; one that was changed by hand comes in without its " +
		"checksum")
}

// Import stores sessions that Export wrote, as json or jsonl, under the ids they had. All is
// checked before anything is written; where an entry is bad the error is a *mem.BatchError and,
// unless o.KeepGoing, nothing was stored. Where only checksums are wrong the error is a
// *DamagedError. What is stored or was deleted counts, so a second import writes nothing. A session
// that is there keeps what it settles; one that is closed takes nothing new: the error wraps
// ErrClosed then, or ErrFull where something does not fit, and a *mem.PartialError where sessions
// before are stored.
func Import(ctx context.Context, s *mem.Store, c mem.Caller, in Incoming, o ImportOptions) (
	rep ImportReport, err error) {
	op, err := s.Begin(c, policy.Session, o.AllowSecrets...)
	if err != nil {
		return rep, err
	}
	// What is wrong with the configuration is no fault of each entry.
	if _, err := op.Config(ctx); err != nil {
		return rep, err
	}
	im := &incoming{ctx: ctx, op: op, to: s, from: in, o: o, byID: map[string]*arriving{}}
	if err = im.read(); err == nil && (len(im.bad) == 0 || o.KeepGoing) {
		err = im.storeAll()
	}
	if err = im.result(err); im.updates == 0 && !o.DryRun {
		op.Done(0, err)
	}
	return im.rep, err
}

// incoming is an import while it is read and stored.
type incoming struct {
	ctx  context.Context // of the one call that it lives for
	to   *mem.Store
	op   *mem.Operation
	from Incoming
	o    ImportOptions
	rep  ImportReport

	sessions []*arriving
	byID     map[string]*arriving
	now      string // the session among whose entries the reading is; "": none
	bad      []*mem.LineError
	damaged  []*mem.LineError
	updates  int // that were tried
}

// arriving is a session of an import.
type arriving struct {
	id      string
	head    mem.Checked // the write of the session itself, as the import has it
	record  log.Record  // that as if it were stored
	named   bool        // the import has its metadata
	entries []mem.Checked
	at      map[keypath.Key]int // of the entries
}

// read reads and checks all.
func (im *incoming) read() error {
	text, err := im.text()
	if err != nil {
		return err
	}
	if bytes.HasPrefix(text, []byte("#")) {
		return &fieldError{im.from.Path, "this is no json or jsonl",
			advice.Say("markdown is for people").
				Also(advice.Run("session export", "--format", "json").Then(" is for an import"))}
	}
	if ofMemories().Match(text) {
		return fmt.Errorf("%s: %w", im.from.Path, ErrMemories)
	}
	if err := eachPart(text, im.take); err != nil {
		return fmt.Errorf("%s: %w", im.from.Path, err)
	}
	for _, one := range im.sessions {
		if err := im.complete(one); err != nil {
			return err
		}
	}
	im.rep.Sessions = len(im.sessions)
	return nil
}

// ofMemories is how an export of memories begins. Most runs of the program never ask.
var ofMemories = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\{\s*"key"\s*:\s*"`)
})

// text returns what is to be imported.
func (im *incoming) text() ([]byte, error) {
	in := im.from.Stream
	if in == nil {
		f, err := os.Open(im.from.Path)
		if err != nil {
			return nil, inputError(im.from.Path, err)
		}
		defer f.Close()
		in = f
	} else {
		im.from.Path = "standard input"
	}
	text, err := io.ReadAll(io.LimitReader(mem.ContextReader(im.ctx, in), maxImport+1))
	if err == nil && len(text) > maxImport {
		err = fmt.Errorf("%s: %w: at most %d bytes", im.from.Path, policy.ErrTooLarge, maxImport)
	}
	return text, inputError(im.from.Path, err)
}

// inputError wraps mem.ErrInput around an error of a path that does not exist or is no file; a disk
// error is returned as it is.
func inputError(path string, err error) error {
	var cause *fs.PathError
	if disk.Failed(err) || !errors.As(err, &cause) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", path, mem.ErrInput, cause.Err)
}

// take takes a part of the import.
func (im *incoming) take(p part) {
	err := p.err
	switch {
	case err != nil:
	case p.metadata:
		err = im.takeMetadata(p.object)
	default:
		if err = im.takeEntry(p.object); errors.Is(err, ErrChecksum) {
			im.damaged = append(im.damaged, im.fault(p, err))
			return
		}
	}
	if err != nil {
		im.refuse(1, im.fault(p, err))
	}
}

// refuse keeps what is wrong with n entries.
func (im *incoming) refuse(n int, fault *mem.LineError) {
	im.rep.Refused += n
	im.bad = append(im.bad, fault)
}

// fault returns an error with the place where it was found.
func (im *incoming) fault(p part, err error) *mem.LineError {
	if p.at != "" {
		err = fmt.Errorf("%s: %w", p.at, err)
	}
	return &mem.LineError{File: im.from.Path, Line: p.line, Err: err}
}

// session returns what the import has of a session, by its id.
func (im *incoming) session(id string) *arriving {
	one := im.byID[id]
	if one == nil {
		one = &arriving{id: id, at: map[keypath.Key]int{}}
		im.sessions, im.byID[id] = append(im.sessions, one), one
	}
	return one
}

// takeMetadata takes the metadata of a session. Where it comes twice, as in two files in one, the
// first counts.
func (im *incoming) takeMetadata(object []byte) error {
	im.now = ""
	rec, err := readMetadata(object, im.op.Now())
	if err != nil {
		return err
	}
	im.now = idOf(rec.Key)
	one := im.session(im.now)
	if one.named {
		return nil
	}
	one.named = true
	return im.setHead(one, parse(rec))
}

// setHead keeps the session itself as it is to be made.
func (im *incoming) setHead(one *arriving, s *Session) (err error) {
	if one.head, err = s.write(im.ctx, im.op); err == nil {
		one.record.Key, one.record.TS = one.head.Key(), im.op.Now()
		one.record.Content = one.head.Content()
	}
	return err
}

// complete sees to it that a session of which the import has only entries can be made.
func (im *incoming) complete(one *arriving) error {
	if one.named {
		return nil
	}
	return im.setHead(one, newSession(one.id, "user", im.op.Now()))
}

// takeEntry checks an entry as a write. The error wraps ErrChecksum where its checksum is wrong.
func (im *incoming) takeEntry(object []byte) error {
	members := jsontext.ParseMembers(object)
	if given := members.Get("checksum"); given != nil && !isWhole(object) {
		return &damage{jsontext.Unquote(members.Get("id"))}
	}
	e, err := readEntry(object, im.now)
	if err != nil {
		return err
	}
	key, err := keypath.Parse(keypath.Sessions + "/" + e.session + "/" + e.id)
	if err != nil {
		return err
	}
	p, err := im.op.Check(im.ctx, mem.Write{Key: key, Content: e.stored(), Source: im.source()},
		false)
	if err != nil {
		return err
	}
	one := im.session(e.session)
	if i, twice := one.at[key]; twice {
		return seen(one.entries[i], p)
	}
	one.at[key] = len(one.entries)
	one.entries = append(one.entries, p)
	return nil
}

// damage names an entry whose checksum is wrong.
type damage struct{ id string }

func (e *damage) Error() string { return strings.TrimSpace(e.id + ": " + ErrChecksum.Error()) }

func (e *damage) Unwrap() error { return ErrChecksum }

// source returns the source of all that is stored: an entry has none.
func (im *incoming) source() []byte {
	if im.from.Stream != nil {
		return []byte(`"mem session import"`)
	}
	return im.op.FileSource(im.from.Path)
}

// result returns the error of the import.
func (im *incoming) result(err error) error {
	im.rep.Damaged, im.rep.DryRun = len(im.damaged), im.o.DryRun
	switch {
	case err != nil:
		return mem.WithBadLines(err, im.bad)
	case len(im.bad) > 0:
		return mem.WithBadLines(nil, append(im.bad, im.damaged...))
	case len(im.damaged) > 0:
		return &DamagedError{im.damaged}
	}
	return nil
}
