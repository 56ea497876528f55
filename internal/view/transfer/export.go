package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// ErrForeign is returned when an export would replace a file that mem did not write, or that has
// something in it that would be lost.
var ErrForeign error = foreign.BadInput("not written by mem export, or changed since")

// foreignFiles returns the error for the files that an export would have had to replace; nothing
// was written. It has a line for each.
func foreignFiles(files ...string) error {
	why := ": " + ErrForeign.Error()
	return &fault.Fault{Why: strings.Join(files, why+"\n") + why, Err: ErrForeign,
		Do: advice.Run("import").Then(" imports its content; then it can be removed").
			Also(advice.Say("or export to another place"))}
}

// ExportOptions select the memories of an export, its format and its target.
type ExportOptions struct {
	Format foreign.Format // "": JSONL
	Prefix keypath.Prefix // only keys below it
	Out    string         // the file, or for ClaudeMemory the folder; "": the writer
	All    bool           // also what other agents keep for themselves: a backup of everything
	// Admitted is the store that a format for a prompt reads, see layers.Layers.AdmittedOf;
	// nil: the store itself.
	Admitted *mem.Store
	Tar      Tar // for ExportArchive
}

// ExportReport is the result of an export.
type ExportReport struct {
	Memories int `json:"memories"`          // that were written
	LeftOut  int `json:"left_out"`          // live memories that the format cannot hold
	Private  int `json:"private,omitempty"` // those that other agents keep for themselves, left out
	Files    int `json:"files"`             // that were written or removed; 0 for a writer
	// Artifacts is how many memories are about files whose bytes are in no line.
	Artifacts int `json:"artifacts,omitempty"`
}

// Export writes the live memories for another program. It never exports a memory that is expired,
// deleted or quarantined under /untrusted/. It exports the private memories of agents other than
// the caller only with o.All, which only a person may give (*policy.PersonError). A format that
// goes into a prompt has the memories that a read would show. A file is replaced only where mem
// wrote it and nothing in it is lost, else the error wraps ErrForeign and nothing was written;
// each is replaced as a whole.
func Export(ctx context.Context, s *mem.Store, c mem.Caller, w io.Writer,
	o ExportOptions) (rep ExportReport, err error) {
	op, err := s.Begin(c, policy.Export)
	if err == nil && o.All {
		err = policy.CheckNoAgent(c, "--all")
	}
	if err != nil {
		return rep, err
	}
	e := exporter{ctx: ctx, store: s, reads: s, caller: c, all: o.All}
	if e.page = o.Format == foreign.MemoryMD || o.Format == foreign.ClaudeMemory; e.page {
		e.reads = cmp.Or(o.Admitted, s)
	}
	switch o.Format {
	case foreign.ClaudeMemory:
		if o.Out == "" {
			return rep, fmt.Errorf("format: %w: %s is a folder, and needs a place", mem.ErrInput,
				o.Format)
		}
		rep, err = e.exportFolder(o)
	case foreign.MCP, foreign.MemoryMD, foreign.JSONL, "":
		rep, err = e.exportFile(w, o)
	default:
		return rep, fmt.Errorf("format: %w: %q, want %s", mem.ErrInput, o.Format, foreign.Formats)
	}
	rep.Private = e.hidden
	op.Done(rep.Memories, err)
	return rep, err
}

type exporter struct {
	ctx    context.Context // of the one call that it lives for
	store  *mem.Store
	reads  *mem.Store // the store that the export reads
	caller mem.Caller
	all    bool
	page   bool // it goes into a prompt
	hidden int  // memories of other agents that were passed over
}

func (e *exporter) exportFile(w io.Writer, o ExportOptions) (rep ExportReport, err error) {
	fill, mayReplace, err := e.filler(o, &rep)
	if err != nil {
		return rep, err
	}
	if o.Out == "" {
		err = fill(w)
		return rep, err
	}
	err = e.writeFile(o.Out, mayReplace, fill, &rep)
	return rep, err
}

func (e *exporter) writeFile(path string, mayReplace func([]byte) bool,
	fill func(io.Writer) error, rep *ExportReport) error {
	out, err := e.openOut(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer out.Close()
	name := filepath.Base(path)
	if err := mayWrite(out, name, mayReplace); err != nil {
		return err
	}
	rep.Files = 1
	// A crash within this leaves the old file or the new one, and perhaps a temporary file.
	return out.WriteFileSync(name, fill)
}

// filler returns the function that writes the file, and the one that reports whether an existing
// file may be replaced.
func (e *exporter) filler(o ExportOptions, rep *ExportReport) (fill func(io.Writer) error,
	mayReplace func([]byte) bool, err error) {
	switch o.Format {
	case foreign.MCP:
		g, err := e.graph(o.Prefix, rep)
		return func(w io.Writer) error { return writeLines(w, g) },
			func(text []byte) bool { return covers(g, text) }, err
	case foreign.MemoryMD:
		page, err := e.memoryPage(o.Prefix, rep)
		return func(w io.Writer) error { _, err := w.Write(page); return err }, foreign.OwnPage, err
	}
	return func(w io.Writer) error { return e.writeEnvelopes(w, o.Prefix, rep) }, onlyEnvelopes, nil
}

// each calls fn for every memory that may be exported.
func (e *exporter) each(prefix keypath.Prefix, fn func(log.Record) error) error {
	e.hidden = 0
	filter := mem.Filter{Prefix: prefix, Trusted: true, All: e.all, LeftOut: &e.hidden}
	return e.reads.List(e.ctx, e.caller, filter, func(rec log.Record) error {
		if e.page && (!policy.OnPage(e.caller, prefix, rec.Key) ||
			content.Successor(rec.Content) != "") {
			return nil
		}
		return fn(rec)
	})
}

// writeEnvelopes writes each memory's line by key, with a checksum even if the log has it without
// one.
func (e *exporter) writeEnvelopes(w io.Writer, prefix keypath.Prefix, rep *ExportReport) error {
	out := bufio.NewWriterSize(w, 1<<16)
	claims := e.store.Reader(e.caller).Claims()
	var line []byte
	err := e.each(prefix, func(rec log.Record) error {
		rep.Memories++
		if rec.Key.Class() == keypath.Artifact {
			rep.Artifacts++
		}
		if origin := claims(rec); origin != "" {
			rec.Source = content.WithClaim(rec.Source, origin)
		}
		line = append(rec.Envelope.AppendLine(line[:0]), '\n')
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// onlyEnvelopes reports whether a file is an earlier export: envelopes with checksums and nothing
// else.
func onlyEnvelopes(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if _, err := log.Decode(line); err != nil || !log.Checksummed(line) {
			return false
		}
	}
	return true
}

func (e *exporter) graph(prefix keypath.Prefix, rep *ExportReport) (*foreign.Graph, error) {
	g := foreign.NewGraph()
	err := e.each(prefix, func(rec log.Record) error {
		if g.AddContent(bytes.Clone(rec.Content)) {
			rep.Memories++
		} else {
			rep.LeftOut++
		}
		return nil
	})
	return g, err
}

func writeLines(w io.Writer, g *foreign.Graph) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for line := range g.Lines() {
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// covers reports whether everything in a graph file is in the graph.
func covers(g *foreign.Graph, text []byte) bool {
	old := foreign.NewGraph()
	sound := true
	err := mem.EachLine(bytes.NewReader(text), func(n int, line []byte, err error) {
		sound = sound && err == nil && old.Add(n, line) == nil
	})
	return err == nil && sound && g.Covers(old)
}

// pageTokens is a budget that no page of MaxBytes reaches.
const pageTokens = 2 * foreign.MaxBytes

// memoryPage returns the memories that matter most, as one file.
func (e *exporter) memoryPage(prefix keypath.Prefix, rep *ExportReport) ([]byte, error) {
	chosen, err := e.reads.Read(e.ctx, e.caller, mem.ReadOptions{
		Limit: pageTokens, Prefix: prefix, AsRanked: true,
	})
	if err != nil {
		return nil, err
	}
	page := foreign.NewPage()
	for i := range chosen.Entries {
		if page.Add(lineOf(chosen, i)) {
			rep.Memories++
		}
	}
	rep.LeftOut = chosen.Considered - rep.Memories
	// A read skips the memories of other agents without a count.
	err = e.each(prefix, func(log.Record) error { return nil })
	return page.Bytes(), err
}

// lineOf returns a memory's line on a page, flattened, without its bullet.
func lineOf(p readout.Page, i int) string {
	var b strings.Builder
	// A strings.Builder does not fail.
	_ = readout.Page{Entries: p.Entries[i : i+1]}.WriteText(&b)
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(b.String(), readout.Header),
		"- "), "\n")
}

// openOut opens the directory of an export, and makes it where absent. It must not be in the store.
func (e *exporter) openOut(path string) (*disk.Dir, error) {
	inside, err := disk.IsWithin(e.store.Path(), path)
	if err != nil {
		return nil, err
	}
	if inside {
		return nil, fmt.Errorf("%s: %w: it is inside the store", path, mem.ErrInput)
	}
	return disk.Create(path)
}

// mayWrite returns an error if a file exists and may not be replaced.
func mayWrite(out *disk.Dir, name string, mayReplace func([]byte) bool) error {
	text, err := out.ReadFile(name, math.MaxInt64)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, disk.ErrIrregular) || err == nil && !mayReplace(text):
		return foreignFiles(out.Join(name))
	}
	return err
}

func (e *exporter) exportFolder(o ExportOptions) (rep ExportReport, err error) {
	f := &folder{rep: &rep, prefix: o.Prefix, topics: map[string]foreign.Record{},
		names: map[string]string{}}
	if err := e.each(o.Prefix, f.add); err != nil {
		return rep, err
	}
	chosen, err := e.reads.Read(e.ctx, e.caller,
		mem.ReadOptions{Limit: pageTokens, Prefix: o.Prefix, AsRanked: true})
	if err != nil {
		return rep, err
	}
	index := f.index(chosen)
	if f.out, err = e.openOut(o.Out); err != nil {
		return rep, err
	}
	defer f.out.Close()
	if err := f.readFolder(); err != nil {
		return rep, err
	}
	err = f.write(index)
	return rep, err
}
