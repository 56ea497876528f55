package transfer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The names in an archive, below that of the layer, in this order: the bytes of artifacts, the
// lineage of each version that is not the newest with its key, and the lines. A reader of the
// stream gets the bytes before the lines that name them. An archive with the marks of an earlier
// mem is refused.
const (
	archiveBlobs   = "artifacts"
	archiveEarlier = "earlier"
	archiveLog     = "log.jsonl"
)

// Layer is one of several stores, with its name in an archive.
type Layer struct {
	Name  string
	Store *mem.Store
}

// ExportArchive writes what [Export] writes of several stores, with the bytes of their artifacts,
// as one tar file: to o.Out, or to the writer. It returns ErrNoTar without o.Tar.
func ExportArchive(ctx context.Context, c mem.Caller, layers []Layer, w io.Writer,
	o ExportOptions) (rep ExportReport, err error) {
	if o.Tar == nil {
		return rep, ErrNoTar
	}
	if o.All {
		if err := policy.CheckNoAgent(c, "--all"); err != nil {
			return rep, err
		}
	}
	fill := func(w io.Writer) error {
		out := o.Tar.NewWriter(w)
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

func (e *exporter) writeLayer(out TarWriter, layer string, o ExportOptions,
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
		if !prefix.Holds(rec.Key) || !policy.Visible(c, rec.Key) {
			return nil
		}
		have := keys[rec.Key]
		if have == nil {
			have = &past{newest: rec.Clone()}
			keys[rec.Key] = have
		}
		have.ids = append(append(have.ids, lineage(rec.Envelope)), earlierOf(rec)...)
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
func (e *exporter) writeBlob(out TarWriter, name, sum string, rep *ExportReport) error {
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
		err = out.Add(Member{Name: name, Size: size}, f)
	}
	return err
}

func writeEntry(out TarWriter, name string, text []byte) error {
	return out.Add(Member{Name: name, Size: int64(len(text))}, bytes.NewReader(text))
}
