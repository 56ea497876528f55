package transfer

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// folder is a memory folder of Claude Code while it is written.
type folder struct {
	rep      *ExportReport
	prefix   keypath.Prefix
	topics   map[string]foreign.Record // by file name
	names    map[string]string         // file names by key
	out      *disk.Dir
	existing map[string][]byte // existing files that may be replaced or removed
}

func (f *folder) add(rec log.Record) error {
	key := rec.Key.String()
	place := strings.TrimPrefix(key, strings.TrimSuffix(f.prefix.String(), "/"))
	name := foreign.FileName(place, rec.Key)
	if other, taken := f.topics[name]; taken {
		return fmt.Errorf("%w: %s and %s would share the file %s", mem.ErrInput, other.Key, key,
			name)
	}
	f.topics[name] = foreign.Record{Key: rec.Key, Content: bytes.Clone(rec.Content),
		Version: lineage(rec.Envelope)}
	f.names[key] = name
	f.rep.Memories++
	return nil
}

// index returns MEMORY.md: links to what matters most.
func (f *folder) index(chosen readout.Page) []byte {
	page := foreign.NewPage()
	for _, e := range chosen.Entries {
		// A memory stored after the topics were read has no file yet.
		if name, ok := f.names[e.Key]; ok {
			page.AddLink(strings.TrimPrefix(e.Key, "/"), name, e.Text)
		}
	}
	return page.Bytes()
}

// readFolder reads the files; the error wraps ErrForeign if one must not be replaced.
func (f *folder) readFolder() error {
	f.existing = map[string][]byte{}
	names, err := f.out.Names(".")
	if err != nil {
		return err
	}
	slices.Sort(names)
	var others []string
	for _, name := range names {
		if !foreign.IsTopic(name) {
			continue
		}
		text, err := f.out.ReadFile(name, math.MaxInt64)
		if disk.Failed(err) {
			return err
		}
		switch concerned, free := f.check(name, text); {
		case err == nil && free:
			f.existing[name] = text
		case err != nil && f.wants(name), concerned:
			others = append(others, f.out.Join(name))
		}
	}
	text, ok := f.existing[foreign.IndexFile]
	if ok && !foreign.MayReplaceIndex(text, f.handles, f.leftOver()) {
		others = append(others, f.out.Join(foreign.IndexFile))
	}
	if len(others) > 0 {
		return foreignFiles(others...)
	}
	return nil
}

// check reports whether the export concerns a file (it writes it, or mem wrote it), and whether it
// may be replaced or removed. MEMORY.md is checked after all others.
func (f *folder) check(name string, text []byte) (concerned, free bool) {
	if name == foreign.IndexFile {
		return true, true
	}
	own, untouched := foreign.OwnTopic(text)
	if rec, ok := f.topics[name]; ok {
		return true, own && untouched || f.holds(name, text, rec)
	}
	return own, own && untouched
}

// holds reports whether a file holds a memory, in whatever layout.
func (f *folder) holds(name string, text []byte, rec foreign.Record) bool {
	have, err := foreign.ReadTopic(name, text)
	if err == nil && !have.Marked {
		have.Key, err = withPrefix(f.prefix, have.Key)
	}
	return err == nil && have.Key == rec.Key && jsontext.Equal(have.Content, rec.Content)
}

func (f *folder) wants(name string) bool {
	_, ok := f.topics[name]
	return ok || name == foreign.IndexFile
}

// handles reports whether the export writes or removes a file, so that a link to it in MEMORY.md
// need not be kept.
func (f *folder) handles(name string) bool {
	_, ours := f.existing[name]
	return ours || f.wants(name)
}

// leftOver returns the memory with what MEMORY.md had besides links; nil if there is none.
func (f *folder) leftOver() []byte {
	key, err := withPrefix(f.prefix, foreign.IndexKey)
	if err != nil {
		return nil
	}
	return f.topics[f.names[key.String()]].Content
}

// write writes the folder: first the topics, then MEMORY.md, which links to them; then it removes
// the files of memories that are gone. It does not rewrite an unchanged file. A crash leaves every
// file whole, and no link without its file; the next export does the rest.
func (f *folder) write(index []byte) error {
	for _, name := range slices.Sorted(maps.Keys(f.topics)) {
		if err := f.put(name, foreign.WriteTopic(f.topics[name])); err != nil {
			return err
		}
	}
	if err := f.put(foreign.IndexFile, index); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.existing)) {
		if _, wanted := f.topics[name]; wanted || name == foreign.IndexFile {
			continue
		}
		// A crash here leaves the file, which no link names any more, to the next export.
		if err := f.out.Remove(name); err != nil {
			return err
		}
		f.rep.Files++
	}
	// A power cut before this sync may bring removed files back, for the next export to remove.
	return f.out.Sync()
}

func (f *folder) put(name string, text []byte) error {
	if bytes.Equal(f.existing[name], text) {
		return nil
	}
	f.rep.Files++
	// A crash within this leaves the old file or the new one, and perhaps a temporary file.
	return f.out.WriteBytesSync(name, text)
}
