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
// too many, is a suspect (M-52, M-58). It opens no file, so it costs a compaction one directory listing each. A nil drift looks at nothing.
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
	names, err := dir.Names(name)
	if err != nil {
		return l
	}
	for _, base := range names {
		if strings.HasSuffix(base, ".json") {
			l.files[base] = true
		}
	}
	return l
}

// live takes note of a live key; expired ones may have their file or not.
func (d *drift) live(r log.Record, expired bool) {
	if d == nil {
		return
	}
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
	if d == nil {
		return
	}
	for len(d.open) > 0 {
		d.leave()
	}
	if d.dir != nil {
		d.dir.Close()
	}
}

// mend looks at the suspects again under the lock, now that no writer can come between, and puts right those that still stand. It reports
// how many those were.
func (d *drift) mend(wr *Writer, b beginning) (int, error) {
	if d == nil {
		return 0, nil
	}
	missing, extra := d.standing(wr, b)
	if len(missing)+len(extra) == 0 {
		return 0, nil
	}
	v, err := Load(wr.Dir, wr.boot)
	if err != nil {
		return 0, err
	}
	defer v.Close()
	n := 0
	for rec, err := range v.Live() {
		if err != nil {
			return n, err
		}
		delete(extra, rec.Key)
		if missing[rec.Key] {
			n++
			if err := wr.correct(rec); err != nil {
				return n, err
			}
		}
	}
	for _, name := range extra {
		n++
		if err := wr.bury(name, v, true); err != nil {
			return n, err
		}
	}
	return n, nil
}

// standing gives the live keys that still lack their file, and the files (by key) that hold nothing newer than the survey saw.
func (d *drift) standing(wr *Writer, b beginning) (missing map[keypath.Key]bool, extra map[keypath.Key]string) {
	missing, extra = map[keypath.Key]bool{}, map[keypath.Key]string{}
	for _, key := range d.missing {
		if _, err := wr.Tree.Get(key); absentKey(err) {
			missing[key] = true
		}
	}
	for _, name := range d.extra {
		if rec, err := wr.Tree.GetPath(name); err == nil && rec.TS <= b.newest && string(rec.Key.Path()) == name {
			extra[rec.Key] = name
		}
	}
	return missing, extra
}
