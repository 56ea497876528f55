package compact

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// indexDiff compares the live keys, which come in order, with the names in the directories of the
// index: a file that is missing, or one too many, is a suspect. Alone, that costs a
// compaction one listing for each directory. With files, it also looks at each file, and reads
// those whose size or time does not fit the last compaction that did so. It runs beside the fold:
// the system calls take as long as the fold itself. A nil *indexDiff does nothing.
type indexDiff struct {
	next []liveKey      // not handed over yet
	work chan []liveKey // compared by a goroutine, until it is closed
	done chan struct{}

	tree    *index.Tree
	open    []listing // the directories from index/ down to the last key's
	missing []keypath.Key
	extra   []string

	files   bool
	since   int64 // files that have changed before this time were compared then
	began   int64 // when this comparison began
	changed []keypath.Key
	want    []byte // of the file that was read last
}

// atOnce is the number of records handed over together: one at a time takes longer than a look.
const atOnce = 256

// liveKey is a live record of the fold; an expired one may have its file or not.
type liveKey struct {
	log.Record
	expired bool
}

// listing is the files of one directory that no live key has claimed yet.
type listing struct {
	name  string // below index/; "." at the top
	files map[string]bool
}

func (j *Job) newDiff() (_ *indexDiff, err error) {
	d := &indexDiff{files: !j.NamesOnly, next: make([]liveKey, 0, atOnce),
		work: make(chan []liveKey, 4), done: make(chan struct{})}
	if d.files {
		if d.began, err = timeOf(j.Dir); err != nil {
			return nil, err
		}
		// The clock of a file system moves in steps, and is set now and then.
		const slack = 2e9
		d.since = filestore.ComparedAt(j.Dir) - slack
	}
	if d.tree, err = index.Open(j.Dir, false); err != nil {
		return nil, err
	}
	d.open = []listing{d.list(".")}
	go func() {
		defer close(d.done)
		for some := range d.work {
			for i := range some {
				d.compare(&some[i])
			}
		}
	}()
	return d, nil
}

// timeOf returns what the clock of a file system says.
func timeOf(dir *disk.Dir) (int64, error) {
	// A crash before the removal leaves an empty temporary file.
	temp, err := dir.TempFile(func(io.Writer) error { return nil })
	if err != nil {
		return 0, err
	}
	fi, err := dir.Lstat(temp)
	if err == nil {
		err = dir.Remove(temp)
	}
	if err != nil {
		return 0, err
	}
	return disk.Changed(fi), nil
}

// comparedAt returns when the files were last compared, for the checkpoint.
func (d *indexDiff) comparedAt(dir *disk.Dir) int64 {
	if d != nil && d.files {
		return d.began
	}
	return filestore.ComparedAt(dir)
}

// list reads a directory; one that cannot be read lists nothing, and its keys become suspects.
func (d *indexDiff) list(name string) listing {
	l := listing{name: name, files: map[string]bool{}}
	names, err := d.tree.Names(name)
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

// pass takes the next live record, which is the caller's again when it returns.
func (d *indexDiff) pass(r log.Record, expired bool) {
	if d == nil || !r.Key.Class().Mirrored() {
		return
	}
	d.next = append(d.next, liveKey{r.Clone(), expired})
	if len(d.next) == cap(d.next) {
		d.work <- d.next
		d.next = make([]liveKey, 0, atOnce)
	}
}

// compare looks for the file of a live record.
func (d *indexDiff) compare(r *liveKey) {
	dir, base := path.Split(string(r.Key.Path()))
	files := d.enter(path.Clean(dir)).files
	switch {
	case r.expired:
	case !files[base]:
		d.missing = append(d.missing, r.Key)
	case d.files && d.differs(&r.Record):
		d.changed = append(d.changed, r.Key)
	}
	delete(files, base)
}

// differs reports whether the file of a record differs from the record. It reads the file only if
// the size is right and the file may have changed since the last comparison.
func (d *indexDiff) differs(r *log.Record) bool {
	name := string(r.Key.Path())
	fi, err := d.tree.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() {
		return false // left to fsck
	}
	if fi.Size() != int64(log.IndentedLen(r.Line)) {
		return true
	}
	if disk.Changed(fi) < d.since {
		return false
	}
	text, err := d.tree.ReadPath(name)
	if err != nil {
		return false // left to fsck
	}
	want, err := log.AppendIndented(d.want[:0], r.Line)
	d.want = want
	return err == nil && !bytes.Equal(text, want)
}

// enter returns the listing of a directory, and closes those that the keys have left. Keys come
// sorted, so a directory is seldom listed twice; when it is, its unclaimed files are suspects that
// confirm clears.
func (d *indexDiff) enter(dir string) listing {
	for !isWithin(dir, d.open[len(d.open)-1].name) {
		d.leave()
	}
	if top := d.open[len(d.open)-1]; top.name == dir {
		return top
	}
	d.open = append(d.open, d.list(dir))
	return d.open[len(d.open)-1]
}

func isWithin(dir, parent string) bool {
	return parent == "." || dir == parent || strings.HasPrefix(dir, parent+"/")
}

func (d *indexDiff) leave() {
	top := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	for file := range top.files {
		d.extra = append(d.extra, path.Join(top.name, file))
	}
}

// end waits for the comparison, and closes the directories. Directories that hold no live key at
// all are not visited: fsck walks everything.
func (d *indexDiff) end() {
	if d == nil {
		return
	}
	d.work <- d.next
	close(d.work)
	<-d.done
	for len(d.open) > 0 {
		d.leave()
	}
	d.tree.Close()
}

// fix checks the suspects again under the lock and fixes those that are still wrong. It returns how
// many those were.
func (d *indexDiff) fix(wr *filestore.Writer, p snapshotPoint) (int, error) {
	if d == nil {
		return 0, nil
	}
	missing, extra := d.confirm(wr, p)
	for _, key := range d.changed {
		missing[key] = true
	}
	if len(missing)+len(extra) == 0 {
		return 0, nil
	}
	load := wr.Load
	if p.whole {
		load = wr.LoadHistory
	}
	v, err := load()
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
			fixed, err := wr.Index.Fix(rec)
			if err != nil {
				return n, err
			}
			if fixed {
				n++
			}
		}
	}
	for _, name := range extra {
		n++
		if err := wr.Index.RemoveStale(name, v, true); err != nil {
			return n, err
		}
	}
	return n, nil
}

// confirm returns the live keys that still have no file, and the files (by key) that hold nothing
// newer than the snapshot point.
func (d *indexDiff) confirm(wr *filestore.Writer, p snapshotPoint) (
	missing map[keypath.Key]bool, extra map[keypath.Key]string) {
	missing, extra = map[keypath.Key]bool{}, map[keypath.Key]string{}
	for _, key := range d.missing {
		if _, err := wr.Index.Tree.Get(key); errors.Is(err, fs.ErrNotExist) {
			missing[key] = true
		}
	}
	for _, name := range d.extra {
		if rec, err := wr.Index.Tree.GetPath(name); err == nil && rec.TS <= p.newest &&
			string(rec.Key.Path()) == name {
			extra[rec.Key] = name
		}
	}
	return missing, extra
}
