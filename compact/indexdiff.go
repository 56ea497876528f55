package compact

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"strings"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// indexDiff compares the live keys, which come in order, with the names in the directories of the
// index: a file that is missing, or one too many, is a suspect. With files, it also looks at each
// file, and reads those that do not fit the last compaction that did so. It runs beside the fold. A
// nil *indexDiff does nothing.
type indexDiff struct {
	next *handed      // not handed over yet
	work chan *handed // compared by a goroutine, until it is closed
	free chan *handed // to be filled again
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

const (
	// atOnce is the number of records handed over together: one at a time takes longer than a look.
	atOnce = 256
	// ahead is how many such groups there are, which bounds how far the fold runs ahead.
	ahead = 6
)

// handed are records that are handed over together. Their memory is used again.
type handed struct {
	list []liveKey
	text []byte // the lines
}

// liveKey is a live record of the fold; an expired one may have its file or not.
type liveKey struct {
	key     keypath.Key
	line    []byte
	expired bool
}

// listing is the files of one directory that no live key has claimed yet.
type listing struct {
	name  string // below index/; "." at the top
	files map[string]bool
}

func (j *Job) newDiff() (_ *indexDiff, err error) {
	d := &indexDiff{files: !j.NamesOnly, next: &handed{}, work: make(chan *handed, ahead),
		free: make(chan *handed, ahead), done: make(chan struct{})}
	if d.files {
		if err := d.times(j.Dir); err != nil {
			return nil, err
		}
	}
	if d.tree, err = index.Open(j.Dir, false); err != nil {
		return nil, err
	}
	d.open = []listing{d.list(".")}
	for range ahead - 1 { // and next
		d.free <- &handed{}
	}
	go func() {
		defer close(d.done)
		for some := range d.work {
			for i := range some.list {
				d.compare(&some.list[i])
			}
			some.list, some.text = some.list[:0], some.text[:0]
			d.free <- some
		}
	}()
	return d, nil
}

// times notes when this comparison begins and since when a file may have changed, by the clock of
// the file system.
func (d *indexDiff) times(dir *disk.Dir) (err error) {
	if d.began, err = timeOf(dir); err != nil {
		return err
	}
	// The clock of a file system moves in steps, and is set now and then.
	const slack = 2e9
	if d.since = filestore.ComparedAt(dir) - slack; d.began < d.since {
		d.since = math.MinInt64 // it was set back: what has changed since may look older
	}
	return nil
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
	names, err := d.tree.Names(name)
	l := listing{name: name, files: make(map[string]bool, len(names))}
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
	from := len(d.next.text)
	d.next.text = append(d.next.text, r.Line...)
	d.next.list = append(d.next.list, liveKey{r.Key, d.next.text[from:], expired})
	if len(d.next.list) == atOnce {
		d.work <- d.next
		d.next = <-d.free
	}
}

// compare looks for the file of a live record.
func (d *indexDiff) compare(r *liveKey) {
	name, dir := string(r.key.Path()), "."
	base := name
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		dir, base = name[:at], name[at+1:]
	}
	files := d.enter(dir).files
	switch {
	case r.expired:
	case !files[base]:
		d.missing = append(d.missing, r.key)
	case d.files && d.differs(name, r.line):
		d.changed = append(d.changed, r.key)
	}
	delete(files, base)
}

// differs reports whether the file of a record differs from its line. It reads the file only if
// the size is right and the file may have changed since the last comparison.
func (d *indexDiff) differs(name string, line []byte) bool {
	fi, err := d.tree.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() {
		return false // left to fsck
	}
	if fi.Size() != int64(log.IndentedLen(line)) {
		return true
	}
	if disk.Changed(fi) < d.since {
		return false
	}
	text, err := d.tree.ReadPath(name)
	if err != nil {
		return false // left to fsck
	}
	want, err := log.AppendIndented(d.want[:0], line)
	d.want = want
	return err == nil && !bytes.Equal(text, want)
}

// enter returns the listing of a directory, and closes those that the keys have left. Keys come
// sorted, so a directory is seldom listed twice; when it is, its unclaimed files are suspects that
// confirm clears.
func (d *indexDiff) enter(dir string) listing {
	if top := d.open[len(d.open)-1]; top.name == dir {
		return top
	}
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

// fix checks the suspects under the lock, fixes those that are wrong, and returns how many.
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
