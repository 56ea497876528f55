package transfer

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The names in an archive, below that of the layer, in this order: the bytes of artifacts, in those
// of older builds the identities of marked lines, the lineage of each version that is not the
// newest with its key, and the lines. A reader of the stream gets the bytes before the lines that
// name them.
const (
	archiveBlobs   = "artifacts"
	archiveMarks   = "imported"
	archiveEarlier = "earlier"
	archiveLog     = "log.jsonl"
)

// Layer is one of several stores, with its name in an archive.
type Layer struct {
	Name  string
	Store *mem.Store
}

// ExportArchive writes what [Export] writes of several stores, with the bytes of their artifacts,
// as one tar file: to o.Out, or to the writer.
func ExportArchive(ctx context.Context, c mem.Caller, layers []Layer, w io.Writer,
	o ExportOptions) (rep ExportReport, err error) {
	if o.All {
		if err := policy.CheckNoAgent(c, "--all"); err != nil {
			return rep, err
		}
	}
	fill := func(w io.Writer) error {
		out := tar.NewWriter(w)
		for _, layer := range layers {
			op, err := layer.Store.Begin(c, policy.Export)
			if err != nil {
				return err
			}
			e := &exporter{ctx: ctx, store: layer.Store, reads: layer.Store, caller: c, all: o.All}
			before := rep.Memories
			err = e.writeLayer(out, layer.Name, o, &rep)
			rep.Private += e.hidden
			op.Done(rep.Memories-before, err)
			if err != nil {
				return err
			}
		}
		return out.Close()
	}
	if o.Out == "" {
		return rep, fill(w)
	}
	e := exporter{store: layers[0].Store}
	err = e.writeFile(o.Out, isArchive, fill, &rep)
	return rep, err
}

// writeLayer writes one store.
func (e *exporter) writeLayer(out *tar.Writer, layer string, o ExportOptions,
	rep *ExportReport) error {
	sums := map[string]bool{}
	err := e.each(o.Prefix, func(rec log.Record) error {
		sum := content.BlobOf(rec.Key, rec.Content)
		if sum == "" || sums[sum] {
			return nil
		}
		sums[sum] = true
		return e.writeBlob(out, path.Join(layer, archiveBlobs, sum), sum, rep)
	})
	if err != nil {
		return err
	}
	absent := rep.Artifacts
	var earlier, lines bytes.Buffer
	if err := e.writeEnvelopes(&lines, o.Prefix, rep); err != nil {
		return err
	}
	if err := e.writePast(&earlier, &lines, o.Prefix); err != nil {
		return err
	}
	rep.Artifacts = absent // the others have their bytes here
	if err := writeEntry(out, path.Join(layer, archiveEarlier), earlier.Bytes()); err != nil {
		return err
	}
	return writeEntry(out, path.Join(layer, archiveLog), lines.Bytes())
}

// past is the history of a key.
type past struct {
	newest log.Record
	ids    []log.Identity
}

// writePast writes the lineages of the versions before the newest, by which another store knows a
// memory whatever has become of it, and the lines of deletions. A purge is repeated where it is
// wanted: its mark is no line of an import.
func (e *exporter) writePast(earlier, lines *bytes.Buffer, prefix keypath.Prefix) error {
	keys := map[keypath.Key]*past{}
	err := e.store.Everything(e.ctx, func(rec log.Record) error {
		c := e.caller
		if e.all {
			c.Agent = rec.Key.Realm().Owner
		}
		if !prefix.Holds(rec.Key) || !policy.Visible(c, rec.Key, content.Fields{}) {
			return nil
		}
		have := keys[rec.Key]
		if have == nil {
			have = &past{newest: rec.Clone()}
			keys[rec.Key] = have
		}
		have.ids = append(have.ids, lineage(rec.Envelope))
		if rec.Wins(have.newest) {
			have.newest = rec.Clone()
		}
		return nil
	})
	for _, key := range slices.SortedFunc(maps.Keys(keys), keypath.Key.Compare) {
		have := keys[key]
		for _, id := range have.ids {
			if len(have.ids) > 1 {
				fmt.Fprintf(earlier, "%x %s\n", id, key)
			}
		}
		if !have.newest.Valid() && !content.IsPurgeMark(have.newest) {
			lines.Write(append(have.newest.Envelope.Line(), '\n'))
		}
	}
	return err
}

// writeBlob writes the bytes of an artifact; one whose bytes are gone is counted.
func (e *exporter) writeBlob(out *tar.Writer, name, sum string, rep *ExportReport) error {
	f, err := e.store.OpenBlob(e.ctx, sum)
	if isAbsent(err) {
		rep.Artifacts++
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size})
	}
	if err == nil {
		_, err = io.Copy(out, f)
	}
	return err
}

func writeEntry(out *tar.Writer, name string, text []byte) error {
	err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))})
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}

// isArchive reports whether a file begins as a tar file does.
func isArchive(text []byte) bool {
	const at, magic = 257, "ustar"
	return len(text) >= at+len(magic) && string(text[at:at+len(magic)]) == magic
}

// Archive is an archive that is read.
type Archive struct {
	in   *tar.Reader
	file *os.File // nil: it is a stream
}

// OpenArchive opens the input of an import if it is an archive. Otherwise the archive is nil, and
// the caller imports the returned input directly.
func OpenArchive(in Incoming) (*Archive, Incoming, error) {
	stream, file := in.Stream, (*os.File)(nil)
	if stream == nil {
		// A pipe can be read only once.
		if fi, err := os.Stat(in.Path); err != nil || !fi.Mode().IsRegular() {
			return nil, in, nil
		}
		var err error
		if file, err = os.Open(in.Path); err != nil {
			return nil, in, nil // the import returns this error
		}
		stream = file
	}
	buffered := bufio.NewReader(stream)
	head, _ := buffered.Peek(512) // the reading returns the error
	archive := &Archive{tar.NewReader(buffered), file}
	if isArchive(head) {
		return archive, in, nil
	}
	if in.Stream != nil {
		in.Stream = buffered
	}
	return nil, in, archive.Close()
}

// Close closes the archive.
func (a *Archive) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

type targetFunc = func(layer string) (*mem.Store, note.IDs, error)

// confirm asks for the rules of all layers before the first is stored. A stream can be read only
// once: there each layer asks.
func (a *Archive) confirm(ctx context.Context, c mem.Caller, o *ImportOptions,
	target targetFunc) error {
	ask, look, rules := o.Confirm, *o, []log.Record(nil)
	if a.file == nil || ask == nil || o.DryRun {
		return nil
	}
	look.DryRun, o.Confirm = true, nil
	look.Confirm = func(list []log.Record) error {
		rules = append(rules, list...)
		return nil
	}
	if _, err := a.Import(ctx, c, look, target); err != nil && !o.KeepGoing {
		return err
	}
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	a.in = tar.NewReader(bufio.NewReader(a.file))
	if len(rules) == 0 {
		return nil
	}
	return ask(rules)
}

// Import imports an archive, each layer into the store that target returns for its name, with the
// bytes of artifacts before the lines that name them. After an error, everything stored so far
// stays.
func (a *Archive) Import(ctx context.Context, c mem.Caller, o ImportOptions,
	target targetFunc) (rep ImportReport, err error) {
	if err := a.confirm(ctx, c, &o, target); err != nil {
		return rep, err
	}
	for {
		head, err := a.in.Next()
		if errors.Is(err, io.EOF) {
			return rep, nil
		}
		if err != nil {
			return rep, fmt.Errorf("archive: %w: %w", mem.ErrInput, err)
		}
		layer, name := path.Split(path.Clean(head.Name))
		blobs := path.Base(layer) == archiveBlobs
		if blobs {
			layer = path.Dir(path.Clean(layer))
		}
		s, ids, err := target(path.Clean(layer))
		if err != nil {
			return rep, err
		}
		switch {
		case blobs && !o.DryRun:
			_, err = s.PutBlob(ctx, a.in, math.MaxInt64)
		case name == archiveMarks:
			o.claimed, err = io.ReadAll(a.in)
		case name == archiveEarlier:
			o.earlier, err = io.ReadAll(a.in)
		case name == archiveLog:
			o.IDs = ids
			var part ImportReport
			part, err = Import(ctx, s, c, Incoming{Path: head.Name, Stream: a.in}, o)
			rep.add(part)
		}
		if err != nil {
			return rep, err
		}
	}
}

func (r *ImportReport) add(o ImportReport) {
	r.New, r.Changed, r.Unchanged = r.New+o.New, r.Changed+o.Changed, r.Unchanged+o.Unchanged
	r.Stale, r.Purged, r.Refused = r.Stale+o.Stale, r.Purged+o.Purged, r.Refused+o.Refused
	r.Apart, r.Absent, r.DryRun = r.Apart+o.Apart, r.Absent+o.Absent, o.DryRun
	r.Renamed, r.Kept = append(r.Renamed, o.Renamed...), append(r.Kept, o.Kept...)
	r.Facts, r.Conflicts = r.Facts+o.Facts, append(r.Conflicts, o.Conflicts...)
}
