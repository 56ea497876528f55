package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/log"
)

// Free space below these limits is little: a compaction, which writes the state anew, may not find
// enough.
const (
	scarceBytes = 256 << 20
	scarceFiles = 1000
)

// longHeld is how long the lock may be held: past what a writer waits for it.
const longHeld = time.Minute

func (d *examination) repair() string { return d.run("fsck", "--repair") }

// run returns a command for the store.
func (d *examination) run(verb string, args ...string) string {
	return advice.Run(verb, args...).As(d.store.o.Program)
}

// Examine says how the store is: only what takes milliseconds however large the store is, for Check
// does the rest. It changes nothing, and waits for nothing.
func (s *Store) Examine(ctx context.Context) []backend.Remark {
	dir, err := s.Dir()
	d := examination{store: s, dir: dir, path: s.Location()}
	switch {
	case err != nil:
		return []backend.Remark{broken("root", err,
			"give another directory with --root, or make this one readable")}
	case dir == nil:
		return []backend.Remark{{What: "root",
			Message: d.path + ": there is no store yet; the first mem set creates it"}}
	}
	list := []backend.Remark{d.root(), d.disk(), d.space(), d.config(ctx)}
	lock, held := d.lock()
	list = append(append(list, lock), d.log(held)...)
	return append(list, d.copies()...)
}

// copies names the copies of the log that a folder sync left beside it: nothing reads them.
func (d *examination) copies() (list []backend.Remark) {
	names, err := d.dir.Names(".")
	if err != nil {
		return []backend.Remark{broken("copies", err, "look at the disk")}
	}
	slices.Sort(names)
	for _, name := range names {
		if filestore.IsLogCopy(name) {
			list = append(list, backend.Remark{What: "copies", Bad: true,
				Message: name + ": a folder sync left this copy of the log, and mem ignores it",
				Fix:     d.run("import", filepath.Join(d.path, name)) + ", and then remove it"})
		}
	}
	return list
}

// examination is one check of a store of files.
type examination struct {
	store *Store
	dir   *disk.Dir
	path  string
}

func broken(what string, err error, fix string) backend.Remark {
	if errors.Is(err, log.ErrNewer) {
		fix = "install the newer mem"
	}
	return backend.Remark{What: what, Message: err.Error(), Bad: true, Fix: fix}
}

// root checks that this user may write and others may not read.
func (d *examination) root() backend.Remark {
	f := backend.Remark{What: "root", Message: d.path}
	fi, err := d.dir.Lstat(".")
	if err != nil {
		return broken("root", err, "look at the disk: not even the root can be read")
	}
	switch err := disk.Writable(d.dir); {
	case errors.Is(err, syscall.EROFS):
		f.Set(d.path+": the disk is read-only, so mem can only read",
			"in a sandbox, allow the directory; otherwise mount the disk for writing")
	case errors.Is(err, fs.ErrPermission):
		f.Set(d.path+": this user may not write here, so mem can only read",
			"in a sandbox, allow the directory; otherwise use --root")
	case fi.Mode().Perm()&0o077 != 0 && disk.HasModes:
		f.Set(fmt.Sprintf("%s: mode %04o gives others access", d.path, fi.Mode().Perm()),
			"chmod 700 "+quoted(d.path))
	}
	return f
}

func quoted(path string) string {
	if strings.ContainsAny(path, " '\"\\$&;()<>|*?[]#~`\t\n") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func (d *examination) disk() backend.Remark {
	space, err := disk.SpaceOf(d.dir)
	f := backend.Remark{What: "disk", Message: space.Kind}
	move := "move the store to a local disk, and name it with --root or MEM_ROOT"
	switch {
	case errors.Is(err, errors.ErrUnsupported) || err == nil && space.Kind == "" && !space.Network:
		f.Message = "of an unknown kind"
	case err != nil:
		return broken("disk", err, "look at the disk")
	case space.Network:
		f.Set(space.Kind+": not a plain local disk, so its locks and syncs may be worth nothing",
			move)
	case space.Memory:
		f.Set(space.Kind+": a reboot empties it", move)
	}
	f.Message = strings.TrimPrefix(f.Message, ": ")
	return f
}

func (d *examination) space() backend.Remark {
	space, err := disk.SpaceOf(d.dir)
	f := backend.Remark{What: "space", Message: fmt.Sprintf("%s free", sizeText(space.Free))}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		f.Message = "not known"
	case err != nil:
		return broken("space", err, "look at the disk")
	case space.Free == 0 || space.Files == 0:
		f.Bad = true
		f.Set("the disk is full: nothing can be stored", "make room on the disk of "+quoted(d.path))
	case space.Free < scarceBytes:
		f.Fix = "make room on the disk of " + quoted(d.path)
	case space.Files >= 0 && space.Files < scarceFiles:
		f.Set(fmt.Sprintf("%d more files can be made", space.Files),
			"make room on the disk of "+quoted(d.path))
	}
	return f
}

// sizeText returns a size for people: 1.5 GiB.
func sizeText(n int64) string {
	unit, size := "bytes", float64(n)
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < 1024 {
			break
		}
		unit, size = next, size/1024
	}
	if unit == "bytes" {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

// config checks that the configuration, if there is one, can be read.
func (d *examination) config(ctx context.Context) backend.Remark {
	name := filepath.Join(d.path, backend.ConfigFile)
	err := d.store.o.Config(ctx)
	_, statErr := d.dir.Lstat(backend.ConfigFile)
	switch {
	case err != nil:
		fix := "mend " + quoted(name) + ", or remove it"
		var advised interface{ Advice() advice.List }
		if errors.As(err, &advised) {
			fix = advised.Advice().As(d.store.o.Program)
		}
		return broken("config", err, fix)
	case statErr != nil:
		return backend.Remark{What: "config", Message: "none: the defaults apply"}
	}
	return backend.Remark{What: "config", Message: name}
}

// lock also reports whether somebody is writing: then much that looks wrong is only unfinished.
func (d *examination) lock() (backend.Remark, bool) {
	held, who, err := log.Held(d.dir)
	f := backend.Remark{What: "lock", Message: "free"}
	switch {
	case errors.Is(err, log.ErrNoLock):
		fix := "network disks often cannot lock: put the store on a local disk with --root"
		return broken("lock", err, fix), false
	case errors.Is(err, disk.ErrIrregular):
		return broken("lock", err, d.repair()), false
	case err != nil:
		fix := "let this user read " + quoted(filepath.Join(d.path, log.LockFile))
		return broken("lock", err, fix), false
	case !held:
		return f, false
	}
	f.Message = "held by an unknown process"
	if who.PID != 0 {
		f.Message = fmt.Sprintf("held by pid %d, %s, since %s",
			who.PID, text.Clip(who.Op, 20), text.Clip(who.Since, 30))
	}
	if since, err := log.ParseTime(who.Since); err == nil &&
		d.store.o.Now().Sub(since.Time()) > longHeld {
		f.Fix = fmt.Sprintf("ps -p %d; writers wait until it ends", who.PID)
	}
	return f, true
}

func (d *examination) log(held bool) []backend.Remark {
	h, err := filestore.Examine(d.dir, disk.BootID())
	switch {
	case errors.Is(err, disk.ErrIrregular):
		fix := d.repair()
		if fi, err := d.dir.Lstat(log.File); err == nil && !fi.Mode().IsRegular() {
			fix = "mem follows no links: put the file itself in that place"
		}
		return []backend.Remark{broken("log", err, fix)}
	case err != nil:
		fix := "look at the disk and at the permissions of " + quoted(d.path)
		return []backend.Remark{broken("log", err, fix)}
	case !h.Log && h.Fault != "" && d.store.o.Shared:
		return []backend.Remark{{What: "log", Message: "git has taken it away"}}
	case !h.Log && h.Fault != "":
		return []backend.Remark{{
			What: "log", Message: h.Fault, Bad: true,
			Fix: "restore it from a copy; " + d.repair() + " creates one from the rest",
		}}
	}
	index := d.indexState(h, held)
	if index.Fix != "" && d.store.o.Shared && !h.Moving {
		index = backend.Remark{What: index.What,
			Message: "git has changed the log; the next write follows it"}
	}
	checks := []backend.Remark{d.lastWrite(h), d.logTail(h), d.logEnd(h, held), index}
	if d.store.o.Shared {
		return checks
	}
	return append(checks, d.archives()...)
}

// archives checks that those which the checkpoint lists are there.
func (d *examination) archives() []backend.Remark {
	faults, err := filestore.ArchiveFaults(d.dir)
	if err != nil {
		return []backend.Remark{broken("archive", err, "look at the disk")}
	}
	var checks []backend.Remark
	for _, fault := range faults {
		checks = append(checks, backend.Remark{What: "archive", Message: fault, Bad: true,
			Fix: filestore.PutBack + ": archives hold the history, and no repair can create one; " +
				"without a backup mem fsck --accept-loss gives up its lines"})
	}
	return checks
}

func (d *examination) lastWrite(h filestore.Health) backend.Remark {
	f := backend.Remark{What: "last write", Message: "never"}
	if !h.Marked || h.Newest <= log.MinStamp {
		if h.Size > 0 {
			f.Message = "not known before the next one"
		}
		return f
	}
	age := d.store.o.Now().Sub(h.Newest.Time())
	f.Message = fmt.Sprintf("%s, %s", h.Newest, text.Ago(age))
	if age < -24*time.Hour {
		f.Fix = "set the clock; if it is right, run " + d.repair()
	}
	return f
}

func (d *examination) logTail(h filestore.Health) backend.Remark {
	size := fmt.Sprintf("%s, %s since the last compaction",
		sizeText(h.Size), sizeText(h.Tail.Bytes))
	f := backend.Remark{What: "log", Message: size}
	switch {
	case h.Tail.IsWhole(d.store.o.Now()):
		f.Set(size+", which a clock that was ahead made: reads go through all of the history",
			d.run("compact"))
	case h.LongTail():
		f.Fix = d.run("compact")
	}
	return f
}

func (d *examination) logEnd(h filestore.Health, held bool) backend.Remark {
	f := backend.Remark{What: "last line", Message: "whole"}
	switch {
	case h.Torn > 0 && held:
		f.Message = "being written"
	case h.Torn > 0 && h.Fault != "":
		f.Set(fmt.Sprintf("torn, %d bytes of an acknowledged write", h.Torn), d.repair())
	case h.Torn > 0:
		f.Set(fmt.Sprintf("torn, %d bytes that were never acknowledged", h.Torn), d.repair())
	}
	return f
}

// indexState checks whether the index follows the log.
func (d *examination) indexState(h filestore.Health, held bool) backend.Remark {
	f := backend.Remark{What: "index", Message: "follows the log"}
	switch {
	case !h.Log || h.Size == 0 && !h.Marked:
		f.Message = "nothing to follow yet"
	case h.Purge && !held:
		f.Set("a purge is running, or was killed: the next write finishes it", d.repair())
	case h.Whole():
		if h.Trust == filestore.Rebooted {
			f.Message = "written before the last reboot; the next write makes sure of it"
		}
	case held:
		f.Message = "being updated"
	case h.Moving:
		f.Set("a compaction was killed while it renamed files", d.repair())
	case !h.Marked:
		f.Set("there is no watermark, so it is unknown whether the index is current",
			d.repair())
	case h.Fault != "":
		f.Set(h.Fault+": acknowledged lines of it are gone", d.repair())
	case h.Copied:
		f.Message = "written before the log was copied; the next write makes sure of it"
	case h.Trust == filestore.Stale:
		f.Set("another program shortened or changed the log", d.repair())
	case h.Behind > 0:
		f.Set(fmt.Sprintf("%d bytes of the log are not in it", h.Behind), d.repair())
	}
	return f
}
