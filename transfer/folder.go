package transfer

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// folder is a memory folder of Claude Code while it is written.
type folder struct {
	rep    *ExportReport
	prefix keypath.Prefix
	topics map[string]Record // by file name
	names  map[string]string // file names by key
	out    *disk.Dir
	there  map[string][]byte // files that stand there and were written by mem
}

func (f *folder) add(rec log.Record) error {
	key := rec.Key.String()
	name := FileName(strings.TrimPrefix(key, strings.TrimSuffix(f.prefix.String(), "/")), rec.Key)
	if other, taken := f.topics[name]; taken {
		return fmt.Errorf("%w: %s and %s would share the file %s", mem.ErrInput, other.Key, key,
			name)
	}
	f.topics[name] = Record{Key: rec.Key, Content: bytes.Clone(rec.Content)}
	f.names[key] = name
	f.rep.Memories++
	return nil
}

// index returns MEMORY.md: links to what matters most.
func (f *folder) index(chosen readout.Page) []byte {
	page := NewPage()
	for _, e := range chosen.Entries {
		// What was written between the two looks at the store has no file yet.
		if name, ok := f.names[e.Key]; ok {
			page.AddLink(strings.TrimPrefix(e.Key, "/"), name, e.Text)
		}
	}
	return page.Bytes()
}

// survey looks at what stands in the folder, and finds whatever mem must not replace.
func (f *folder) survey() error {
	f.there = map[string][]byte{}
	names, err := f.out.Names(".")
	if err != nil {
		return err
	}
	slices.Sort(names)
	var foreign []string
	for _, name := range names {
		if !IsTopic(name) {
			continue
		}
		text, err := f.out.ReadFile(name, math.MaxInt64)
		if disk.Failed(err) {
			return err
		}
		switch ours, free := f.judge(name, text); {
		case err == nil && free:
			f.there[name] = text
		case err != nil && f.wants(name), ours:
			foreign = append(foreign, f.out.Join(name))
		}
	}
	if text, ok := f.there[IndexFile]; ok && !MayReplaceIndex(text, f.gives, f.leftOver()) {
		foreign = append(foreign, f.out.Join(IndexFile))
	}
	if len(foreign) > 0 {
		return &ForeignError{Files: foreign}
	}
	return nil
}

// judge tells whether a file is in the way of the export, and whether it may be replaced or
// removed. MEMORY.md is judged when all others are known.
func (f *folder) judge(name string, text []byte) (ours, free bool) {
	if name == IndexFile {
		return true, true
	}
	own, untouched := OwnTopic(text)
	if rec, ok := f.topics[name]; ok {
		return true, own && untouched || f.says(name, text, rec)
	}
	return own, own && untouched
}

// says reports whether a file says what a memory does, however it is laid out.
func (f *folder) says(name string, text []byte, rec Record) bool {
	there, err := ReadTopic(name, text)
	if err == nil && !there.Marked {
		there.Key, err = below(f.prefix, there.Key)
	}
	return err == nil && there.Key == rec.Key && jsontext.Equal(there.Content, rec.Content)
}

func (f *folder) wants(name string) bool {
	_, ok := f.topics[name]
	return ok || name == IndexFile
}

// gives tells which links in MEMORY.md the export takes care of: to a file that it writes, or
// removes.
func (f *folder) gives(name string) bool {
	_, ours := f.there[name]
	return ours || f.wants(name)
}

// leftOver is the memory that holds what MEMORY.md had besides links; nil if there is none.
func (f *folder) leftOver() []byte {
	key, err := below(f.prefix, IndexKey)
	if err != nil {
		return nil
	}
	return f.topics[f.names[key.String()]].Content
}

// write brings the folder to the topics: first the files, then MEMORY.md, which links to them, then
// what is no memory any more goes. What is there already is not written again.
func (f *folder) write(index []byte) error {
	for _, name := range slices.Sorted(maps.Keys(f.topics)) {
		if err := f.put(name, WriteTopic(f.topics[name])); err != nil {
			return err
		}
	}
	if err := f.put(IndexFile, index); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.there)) {
		if _, wanted := f.topics[name]; wanted || name == IndexFile {
			continue
		}
		if err := f.out.Remove(name); err != nil {
			return err
		}
		f.rep.Files++
	}
	return f.out.Sync()
}

func (f *folder) put(name string, text []byte) error {
	if bytes.Equal(f.there[name], text) {
		return nil
	}
	f.rep.Files++
	return f.out.WriteFileSync(name,
		func(w io.Writer) error { _, err := w.Write(text); return err })
}

// below returns a key below a prefix.
func below(prefix keypath.Prefix, key keypath.Key) (keypath.Key, error) {
	if prefix == (keypath.Prefix{}) {
		return key, nil
	}
	return key.WithPrefix(prefix.String())
}
