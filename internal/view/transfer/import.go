package transfer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Incoming is what an import reads: a file or folder, or a stream.
type Incoming struct {
	Path   string
	Stream io.Reader // nil: it is at Path
}

// ImportOptions are the options of an import.
type ImportOptions struct {
	Format     foreign.Format // "": detected
	Prefix     keypath.Prefix // below which all keys go
	DryRun     bool           // only report what it would do
	Quarantine bool           // as in mem.SetOptions
	KeepGoing  bool           // write the good records although others are bad
	// AllowSecrets is as in mem.SetOptions, for every record.
	AllowSecrets []string
	Force        bool // also what only other verbs write, see mem.Operation.Force
	Mine         bool // the file is the user's own: a person brings back its rules, too
	// Confirm is called before anything is written, with the rules that Mine brings, if any.
	Confirm func(rules []log.Record) error
	// blobs is called with the SHA-256 of each artifact that no purge has taken.
	blobs   func(sum string)
	earlier []byte   // versions before those of the file, as an archive names them
	ahead   bool     // a dry run before one that stores, for which a person is needed as for that
	IDs     note.IDs // of the notes in the store
}

// ImportReport is the result of an import.
type ImportReport struct {
	New       int  `json:"new"`              // memories of keys that held none
	Changed   int  `json:"changed"`          // memories that were replaced or deleted
	Unchanged int  `json:"unchanged"`        // memories that the store had already
	Stale     int  `json:"stale"`            // lines older than what the key holds or held when deleted
	Purged    int  `json:"purged,omitempty"` // of the stale, versions of memories that were purged
	Refused   int  `json:"refused"`          // bad lines or files
	Apart     int  `json:"apart"`            // of the new and changed, quarantined under /untrusted/
	DryRun    bool `json:"dry_run"`          // nothing was written
	Absent    int  `json:"absent,omitempty"` // artifacts that are here now without their bytes
	// Renamed are the new memories whose key was taken by another one.
	Renamed []Renamed `json:"renamed,omitempty"`
	// Kept are rules of the user that the file would have replaced or deleted.
	Kept []keypath.Key `json:"kept,omitempty"`
	// Facts is how many rules of the file are facts here, as a person has not vouched for them.
	Facts int `json:"facts,omitempty"`
	// OfFile are memories below /rules that are facts, since their source is a file.
	OfFile []keypath.Key `json:"of_file,omitempty"`
	// Conflicts are memories that were changed here and in the file: the later change counts.
	Conflicts []keypath.Key `json:"conflicts,omitempty"`
	// Items are the memories of a file of guidance, for a dry run.
	Items []Item `json:"items,omitempty"`
}

// Item is a part of a file of guidance.
type Item struct {
	Key  keypath.Key `json:"key"`
	Text string      `json:"text"`
}

// Import stores the memories of another program, or of another store. Every record is checked as
// [mem.Store.Set] would before anything is written; where one is bad the error is a *mem.BatchError
// and, unless o.KeepGoing, nothing was stored. What a key holds already is not written again, so a
// second import writes nothing. Lines with a ts follow the rules of [mem.Store.SetAll].
func Import(ctx context.Context, s *mem.Store, c mem.Caller, in Incoming,
	o ImportOptions) (rep ImportReport, err error) {
	verb := policy.Import
	if c.Unattended = c.Unattended && (!o.DryRun || o.ahead); o.Mine { // a dry run decides nothing
		verb = policy.Restore
	}
	op, err := s.Begin(c, verb, o.AllowSecrets...)
	if err == nil {
		_, err = op.Config(ctx) // an error in it is reported once, not for each line
	}
	if err != nil {
		return rep, err
	} else if o.Force {
		op.Force()
	}
	im := &incoming{ctx: ctx, op: op, from: in, o: o, rep: ImportReport{DryRun: o.DryRun},
		found: map[keypath.Key]finding{}}
	if err = im.read(); err == nil {
		err = im.arrange()
	}
	if err == nil && o.blobs != nil {
		im.eachBlob(o.blobs)
	}
	if err == nil && o.Mine && o.Confirm != nil && (len(im.bad) == 0 || o.KeepGoing) {
		if rules := im.rules(); len(rules) > 0 {
			err = o.Confirm(rules)
		}
	}
	if err != nil {
		op.Done(0, err)
		return rep, err
	}
	var batch mem.BatchReport
	switch {
	case len(im.bad) > 0 && !o.KeepGoing:
	case o.DryRun:
		batch, err = op.TryAll(ctx, im.writes)
	default:
		batch, err = op.PutAll(ctx, im.writes)
	}
	rep = im.rep
	rep.New, rep.Changed = batch.New, batch.Written-batch.New-batch.Idle
	rep.Unchanged, rep.Apart = batch.Unchanged+batch.Idle, batch.Apart
	rep.Stale, rep.Purged = rep.Stale+batch.Stale, rep.Purged+batch.Purged
	rep.Refused, rep.Kept, rep.Facts = len(im.bad), op.KeptRules(), batch.Facts
	rep.OfFile = im.ofFile()
	err = mem.WithBadLines(err, foldReserved(im.bad))
	if !o.DryRun {
		op.Done(batch.Written, err)
		var failed error
		rep.Absent, failed = withoutBytes(ctx, s, im.writes)
		err = errors.Join(err, failed)
	}
	return rep, err
}

func (im *incoming) eachBlob(do func(sum string)) {
	for _, p := range im.writes {
		e := p.Envelope()
		if sum := content.BlobOf(e.Key, e.Content); sum != "" {
			do(sum)
		}
	}
}

func (im *incoming) rules() (list []log.Record) {
	for _, p := range im.writes {
		rec := log.Record{Envelope: p.Envelope()}
		if it := mem.ItemOf(rec); rec.Valid() && policy.ClaimsRule(&it) &&
			content.Claim(rec.Source) == "" {
			list = append(list, rec)
		}
	}
	return list
}

// ofFile returns the keys of the writes below /rules that are facts whoever imports them.
func (im *incoming) ofFile() (keys []keypath.Key) {
	for _, p := range im.writes {
		e := p.Envelope()
		if it := mem.ItemOf(log.Record{Envelope: e}); e.Valid() && policy.IsRuleOfFile(&it) {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// finding is a memory, and where it was found.
type finding struct {
	foreign.Record // its content is as it is stored
	file           string
}

// incoming is an import while it is read and checked.
type incoming struct {
	ctx    context.Context // of the one call that it lives for
	op     *mem.Operation
	from   Incoming
	o      ImportOptions
	writes []mem.Checked
	bad    []*mem.LineError
	single bool // one file of a folder was named
	rep    ImportReport
	found  map[keypath.Key]finding // of each key, but in lines
}

func (im *incoming) read() error {
	if im.o.Format == foreign.MemoryMD {
		return fmt.Errorf("format: %w: %s is only written; want %s", mem.ErrInput, im.o.Format,
			foreign.ReadFormats)
	}
	if im.from.Stream != nil {
		im.from.Path = cmp.Or(im.from.Path, "standard input")
		return im.readStream(im.from.Stream)
	}
	fi, err := os.Stat(im.from.Path)
	if err != nil {
		return inputError(im.from.Path, err)
	}
	dir, name := filepath.Split(im.from.Path)
	switch {
	case fi.IsDir():
		return im.readFolder(im.from.Path, "")
	case im.o.Format == "" && foreign.IsGuidance(name):
		return im.readGuidance(filepath.Clean(dir), name)
	case im.o.Format == foreign.ClaudeMemory, im.o.Format == "" && foreign.IsTopic(name):
		return im.readFolder(filepath.Clean(dir), name)
	}
	f, err := os.Open(im.from.Path)
	if err != nil {
		return inputError(im.from.Path, err)
	}
	defer f.Close()
	return im.readStream(f)
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

func (im *incoming) readStream(r io.Reader) error {
	in := bufio.NewReaderSize(mem.ContextReader(im.ctx, r), policy.MaxBatchLine)
	format := im.o.Format
	if format == "" {
		text, _ := in.Peek(in.Size()) // reading repeats the error
		if format = foreign.Detect(text); format == "" {
			return fmt.Errorf("%s: %w: it looks like an export of sessions; want %s", im.from.Path,
				foreign.ErrUnknownFormat, foreign.ReadFormats)
		}
	}
	switch format {
	case foreign.Engram:
		text, err := io.ReadAll(in)
		if err == nil {
			im.addAll(foreign.ReadEngram(text))
		}
		return err
	case foreign.ClaudeMemory:
		return fmt.Errorf("%s: %w: the format claude-memory is read from a folder", im.from.Path,
			mem.ErrInput)
	case foreign.MCP:
		return im.readGraph(in)
	}
	o := mem.BatchOptions{Source: im.source(im.from.Path), Quarantine: im.o.Quarantine}
	writes, bad, err := im.op.ReadLines(im.ctx, in, o, im.o.Prefix)
	if err == nil && im.o.Format == "" && len(writes) == 0 && len(bad) > 0 {
		err = unknownFormat(im.from.Path, bad)
	}
	for i := range writes {
		writes[i] = writes[i].IfChanged()
	}
	for _, b := range bad {
		b.File = im.from.Path
		if errors.Is(b.Err, log.ErrChecksum) {
			b.Err = ErrChanged
		}
	}
	im.bad = bad
	im.writes, im.rep.Stale = lastOfEach(writes)
	im.writes = slices.DeleteFunc(im.writes, im.isBadRecord)
	return err
}

// ErrChanged is the error of a line that was changed after mem wrote it.
var ErrChanged = fmt.Errorf("%w: the line was changed, for its checksum does not match",
	mem.ErrInput)

// unknownFormat returns an error where no line is JSON: then the file is of another kind, and to
// name each line would help nobody.
func unknownFormat(path string, bad []*mem.LineError) error {
	for _, b := range bad {
		if !errors.Is(b, jsontext.ErrJSON) && !errors.Is(b, policy.ErrTooLarge) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w: none of its lines is JSON (%d); %s", path, foreign.ErrUnknownFormat,
		len(bad), bad[0])
}

func (im *incoming) readGraph(r io.Reader) error {
	g := foreign.NewGraph()
	err := mem.EachLine(r, func(n int, line []byte, err error) {
		if err == nil {
			err = g.Add(n, line)
		}
		if err != nil {
			im.refuse(im.from.Path, n, err)
		}
	})
	im.addAll(g.Records())
	return err
}

func (im *incoming) refuse(file string, line int, err error) {
	im.bad = append(im.bad, &mem.LineError{File: file, Line: line, Err: err})
}

// source returns the source of a record which names none: its file, and for a stream the verb.
func (im *incoming) source(file string) []byte {
	if im.from.Stream != nil {
		return []byte(`"mem import"`)
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	return im.op.FileSource(file)
}

func (im *incoming) addAll(records iter.Seq2[foreign.Record, error]) {
	for rec, err := range records {
		im.add(im.from.Path, rec, err)
	}
}

func (im *incoming) add(file string, rec foreign.Record, err error) {
	var p mem.Checked
	if err == nil {
		w := mem.Write{Key: rec.Key, Content: rec.Content, Source: im.source(file)}
		prefix := im.o.Prefix
		if rec.Marked && prefix.Holds(rec.Key) {
			prefix = keypath.Prefix{} // the file has the whole key
		}
		p, err = im.op.CheckBelow(im.ctx, prefix, w, im.o.Quarantine)
	}
	other, twice := im.found[p.Key()]
	switch {
	case err != nil:
		im.refuse(file, rec.Line, err)
	case !twice:
		p = p.IfChanged()
		rec.Content = p.Content()
		im.found[p.Key()] = finding{rec, file}
		im.writes = append(im.writes, p)
	case !jsontext.Equal(other.Content, p.Content()):
		im.refuse(file, rec.Line, fmt.Errorf("%w: %s has other content for %s", mem.ErrInput,
			other.file, p.Key()))
	}
}
