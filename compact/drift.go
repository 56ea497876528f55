package compact

import (
	"path"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// drift compares, by names alone, the live keys as they pass in order with the directories of the index: a file that is missing, or one
// too many, is a suspect (M-52, M-58). It opens no file, so it costs a compaction one directory listing each.
type drift struct {
	dir     *disk.Dir
	open    []listing // the directories from index/ down to the last key's
	missing []keypath.Key
	extra   []string
}

// listing is the files of one directory that no live key has claimed yet.
type listing struct {
	name  string // below index/; "." at the top
	files map[string]bool
}

func newDrift(root *disk.Dir) *drift {
	dir, err := root.Sub(index.DirName, false)
	if err != nil {
		return &drift{}
	}
	return &drift{dir: dir, open: []listing{list(dir, ".")}}
}

// list reads a directory; one that cannot be read lists nothing, and its keys become suspects.
func list(dir *disk.Dir, name string) listing {
	l := listing{name: name, files: map[string]bool{}}
	entries, err := dir.ReadDir(name)
	if err != nil {
		return l
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") {
			l.files[e.Name()] = true
		}
	}
	return l
}

// live takes note of a live key; expired ones may have their file or not.
func (d *drift) live(r log.Record, expired bool) {
	if d.dir == nil {
		d.missing = append(d.missing, r.Key)
		return
	}
	dir, base := path.Split(string(r.Key.Path()))
	files := d.enter(path.Clean(dir)).files
	if !files[base] && !expired {
		d.missing = append(d.missing, r.Key)
	}
	delete(files, base)
}

// enter gives the listing of a directory, closing those that the keys have left behind. Keys come sorted, so a directory is
// seldom listed twice; when it is, its unclaimed files are suspects that confirm clears.
func (d *drift) enter(dir string) listing {
	for !within(dir, d.open[len(d.open)-1].name) {
		d.leave()
	}
	if top := d.open[len(d.open)-1]; top.name == dir {
		return top
	}
	d.open = append(d.open, list(d.dir, dir))
	return d.open[len(d.open)-1]
}

func within(dir, parent string) bool {
	return parent == "." || dir == parent || strings.HasPrefix(dir, parent+"/")
}

func (d *drift) leave() {
	top := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	for file := range top.files {
		d.extra = append(d.extra, path.Join(top.name, file))
	}
}

// finish closes the directories. Directories that hold no live key at all are not visited: fsck walks everything.
func (d *drift) finish() {
	for len(d.open) > 0 {
		d.leave()
	}
	if d.dir != nil {
		d.dir.Close()
	}
}

// confirm counts the suspects that still stand under the lock, now that no writer can have come between.
func (d *drift) confirm(wr *Writer, b beginning) (int, error) {
	if len(d.missing)+len(d.extra) == 0 {
		return 0, nil
	}
	since := Fold{}
	for rec, err := range log.Scan(wr.Live.From(b.size), log.File, log.Start{Off: b.size}) {
		if err != nil && !isDamage(err) {
			return 0, err
		}
		if err == nil {
			since.Add(rec)
		}
	}
	n := 0
	for _, key := range d.missing {
		_, touched := since[key]
		if _, err := wr.Tree.Get(key); !touched && absentKey(err) {
			n++
		}
	}
	for _, name := range d.extra {
		if rec, err := wr.Tree.GetPath(name); err == nil && rec.TS <= b.newest && !wr.live(rec) {
			n++
		}
	}
	return n, nil
}

// live reports whether a record is what the store holds for its key.
func (wr *Writer) live(rec log.Record) bool {
	v, err := Load(wr.Dir, wr.boot)
	if err != nil {
		return true
	}
	defer v.Close()
	_, ok, err := v.Get(rec.Key)
	return ok || err != nil
}
