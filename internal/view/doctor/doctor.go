package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/log"
)

// Level is how bad what a check found is.
type Level string

// The levels.
const (
	OK   Level = "ok"
	Warn Level = "warn" // it works, but should not stay so
	Bad  Level = "bad"  // something does not work
)

// Check is one thing that was checked, and the result.
type Check struct {
	What    string `json:"what"`
	Message string `json:"message"`
	Level   Level  `json:"level"`
	Fix     string `json:"fix,omitempty"` // what to type, or to do; empty where nothing needs doing
	// Layer is the store that it is about, where there are several.
	Layer string `json:"layer,omitempty"`
}

// set sets the result of a check to something wrong.
func (c *Check) set(level Level, message, fix string) {
	c.Level, c.Message, c.Fix = level, message, fix
}

// Free space below these limits is little: a compaction, which writes the state anew, may not find
// enough.
const (
	scarceBytes = 256 << 20
	scarceFiles = 1000
)

// longHeld is how long the lock may be held before that is strange: past what a writer waits for
// it.
const longHeld = time.Minute

const repair = "mem fsck --repair"

// Diagnose checks the store below path: only what takes milliseconds however large the store is,
// for [mem.Store.Fsck] does the rest. It changes nothing, waits for nothing and does not fail: what
// it cannot check is reported by a check.
func Diagnose(path string, o mem.Options) []Check {
	s, err := mem.Open(path, o)
	if err != nil {
		return []Check{broken("root", err,
			"give another directory with --root, or make this one readable")}
	}
	defer s.Close()
	if remarks, ok := s.Examine(context.Background()); ok {
		return checksOf(remarks)
	}
	d := examination{store: s, path: s.Path(), shared: o.Shared}
	if d.dir, err = s.Dir(); err != nil {
		return []Check{broken("root", err,
			"give another directory with --root, or make this one readable")}
	}
	if d.dir == nil {
		return []Check{{
			What:    "root",
			Message: d.path + ": there is no store yet, the first mem set makes it",
			Level:   OK,
		}}
	}
	list := []Check{d.root(), d.disk(), d.space(), d.config()}
	lock, held := d.lock()
	return append(append(list, lock), d.log(held)...)
}

// checksOf returns what a store on a server says of itself.
func checksOf(remarks []backend.Remark) []Check {
	list := make([]Check, len(remarks))
	for i, r := range remarks {
		list[i] = Check{What: r.What, Message: r.Message, Level: OK, Fix: r.Fix}
		switch {
		case r.Bad:
			list[i].Level = Bad
		case r.Fix != "":
			list[i].Level = Warn
		}
	}
	return list
}

// examination is one check of a store of files.
type examination struct {
	store *mem.Store
	dir   *disk.Dir
	path  string

	shared bool // git may replace the log
}

func broken(what string, err error, fix string) Check {
	if errors.Is(err, log.ErrNewer) {
		fix = "install the newer mem"
	}
	return Check{What: what, Message: err.Error(), Level: Bad, Fix: fix}
}

// root checks that this user may write and others may not read.
func (d *examination) root() Check {
	f := Check{What: "root", Message: d.path, Level: OK}
	fi, err := d.dir.Lstat(".")
	if err != nil {
		return broken("root", err, "look at the disk: not even the root can be read")
	}
	switch err := disk.Writable(d.dir); {
	case errors.Is(err, syscall.EROFS):
		f.set(Warn, d.path+": the disk is read-only, so mem can only read",
			"in a sandbox, allow the directory; else mount the disk for writing")
	case errors.Is(err, fs.ErrPermission):
		f.set(Warn, d.path+": this user may not write here, so mem can only read",
			"in a sandbox, allow the directory; else give --root")
	case fi.Mode().Perm()&0o077 != 0 && disk.HasModes:
		f.set(Warn, fmt.Sprintf("%s: mode %04o lets others in", d.path, fi.Mode().Perm()),
			"chmod 700 "+quoted(d.path))
	}
	return f
}

// quoted returns a path quoted for a shell.
func quoted(path string) string {
	if strings.ContainsAny(path, " '\"\\$&;()<>|*?[]#~`\t\n") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func (d *examination) disk() Check {
	space, err := disk.SpaceOf(d.dir)
	f := Check{What: "disk", Message: space.Kind, Level: OK}
	move := "move the store to a local disk, and name it with --root or MEM_ROOT"
	switch {
	case errors.Is(err, errors.ErrUnsupported) || err == nil && space.Kind == "" && !space.Network:
		f.Message = "of a kind that the system does not tell"
	case err != nil:
		return broken("disk", err, "look at the disk")
	case space.Network:
		f.set(Warn,
			space.Kind+": not a plain local disk, so its locks and syncs may be worth nothing",
			move)
	case space.Memory:
		f.set(Warn, space.Kind+": a reboot empties it", move)
	}
	f.Message = strings.TrimPrefix(f.Message, ": ")
	return f
}

func (d *examination) space() Check {
	space, err := disk.SpaceOf(d.dir)
	f := Check{What: "space", Message: fmt.Sprintf("%s free", sizeText(space.Free)), Level: OK}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		f.Message = "not known"
	case err != nil:
		return broken("space", err, "look at the disk")
	case space.Free == 0 || space.Files == 0:
		f.set(Bad, "the disk is full: nothing can be stored",
			"make room on the disk of "+quoted(d.path))
	case space.Free < scarceBytes:
		f.Level, f.Fix = Warn, "make room on the disk of "+quoted(d.path)
	case space.Files >= 0 && space.Files < scarceFiles:
		f.set(Warn, fmt.Sprintf("%d more files can be made", space.Files),
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

func (d *examination) config() Check {
	name := filepath.Join(d.path, mem.ConfigFile)
	_, err := d.store.Config(context.Background())
	_, statErr := d.dir.Lstat(mem.ConfigFile)
	switch {
	case err != nil:
		return broken("config", err, "mend "+quoted(name)+", or remove it")
	case statErr != nil:
		return Check{What: "config", Message: "none, so all is as usual", Level: OK}
	}
	return Check{What: "config", Message: name, Level: OK}
}

// lock also reports whether somebody is writing: then much that looks wrong is only unfinished.
func (d *examination) lock() (Check, bool) {
	held, who, err := log.Held(d.dir)
	f := Check{What: "lock", Message: "free", Level: OK}
	switch {
	case errors.Is(err, log.ErrNoLock):
		fix := "network disks often cannot lock: put the store on a local disk with --root"
		return broken("lock", err, fix), false
	case errors.Is(err, disk.ErrIrregular):
		return broken("lock", err, repair), false
	case err != nil:
		fix := "let this user read " + quoted(filepath.Join(d.path, log.LockFile))
		return broken("lock", err, fix), false
	case !held:
		return f, false
	}
	f.Message = "held by somebody who did not sign"
	if who.PID != 0 {
		f.Message = fmt.Sprintf("held by pid %d, %s, since %s",
			who.PID, shorten(who.Op, 20), shorten(who.Since, 30))
	}
	if since, err := log.ParseTime(who.Since); err == nil &&
		d.store.Now().Sub(since.Time()) > longHeld {
		f.Level, f.Fix = Warn, fmt.Sprintf("ps -p %d; writers wait until it ends", who.PID)
	}
	return f, true
}

func (d *examination) log(held bool) []Check {
	h, err := filestore.Examine(d.dir, disk.BootID())
	switch {
	case errors.Is(err, disk.ErrIrregular):
		return []Check{broken("log", err,
			"mem follows no links: put the file itself in that place, or type "+repair)}
	case err != nil:
		fix := "look at the disk and at the permissions of " + quoted(d.path)
		return []Check{broken("log", err, fix)}
	case h.Lost && d.shared:
		return []Check{{What: "log", Level: OK, Message: "git has taken it away"}}
	case h.Lost:
		return []Check{{
			What: "log", Message: log.File + " is gone", Level: Bad,
			Fix: "bring it back from a copy; " + repair + " makes one of what is left",
		}}
	}
	index := indexState(h, held)
	if index.Fix != "" && d.shared && !h.Moving {
		index = Check{What: index.What, Level: OK,
			Message: "git has changed the log; the next write follows it"}
	}
	checks := []Check{d.lastWrite(h), logTail(h), logEnd(h, held), index}
	if d.shared {
		return checks
	}
	return append(checks, d.archives()...)
}

// archives checks that those which the checkpoint lists are there.
func (d *examination) archives() []Check {
	faults, err := filestore.ArchiveFaults(d.dir)
	if err != nil {
		return []Check{broken("archive", err, "look at the disk")}
	}
	var checks []Check
	for _, fault := range faults {
		checks = append(checks, Check{What: "archive", Message: fault, Level: Bad,
			Fix: filestore.PutBack + ": archives are the history, and no repair makes one"})
	}
	return checks
}

func (d *examination) lastWrite(h filestore.Health) Check {
	f := Check{What: "last write", Message: "never", Level: OK}
	if !h.Marked || h.Newest <= log.MinStamp {
		if h.Size > 0 {
			f.Message = "not known before the next one"
		}
		return f
	}
	age := d.store.Now().Sub(h.Newest.Time())
	f.Message = fmt.Sprintf("%s, %s", h.Newest, Ago(age))
	if age < -24*time.Hour {
		f.Level, f.Fix = Warn, "set the clock; if it is right, type mem fsck --repair"
	}
	return f
}

// Ago returns an age in the largest unit that it reaches.
func Ago(age time.Duration) string {
	switch {
	case age < -time.Minute:
		return "in the future"
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return fmt.Sprintf("%d min ago", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h ago", age/time.Hour)
	}
	return fmt.Sprintf("%d days ago", age/(24*time.Hour))
}

func logTail(h filestore.Health) Check {
	size := fmt.Sprintf("%s, %s since the last compaction",
		sizeText(h.Size), sizeText(h.Tail.Bytes))
	f := Check{What: "log", Message: size, Level: OK}
	if h.LongTail() {
		f.Level, f.Fix = Warn, "mem compact"
	}
	return f
}

func logEnd(h filestore.Health, held bool) Check {
	f := Check{What: "last line", Message: "whole", Level: OK}
	switch {
	case h.Torn > 0 && held:
		f.Message = "being written"
	case h.Torn > 0:
		f.set(Warn, fmt.Sprintf("torn, %d bytes that were never acknowledged", h.Torn), repair)
	}
	return f
}

// indexState checks whether the index follows the log.
func indexState(h filestore.Health, held bool) Check {
	f := Check{What: "index", Message: "follows the log", Level: OK}
	switch {
	case !h.Log || h.Size == 0 && !h.Marked:
		f.Message = "nothing to follow yet"
	case h.Purge && !held:
		f.set(Warn, "a purge is running, or was killed: the next write finishes it", repair)
	case h.Whole():
		if h.Trust == filestore.Rebooted {
			f.Message = "written before the last reboot; the next write makes sure of it"
		}
	case held:
		f.Message = "being brought up to date"
	case h.Moving:
		f.set(Warn, "a compaction was killed while it put files in place", repair)
	case !h.Marked:
		f.set(Warn, "there is no watermark, so nobody knows how far the index follows the log",
			repair)
	case h.Copied:
		f.Message = "written before the log was copied; the next write makes sure of it"
	case h.Trust == filestore.Stale:
		f.set(Warn, "the log was shortened or changed by other hands", repair)
	case h.Behind > 0:
		f.set(Warn, fmt.Sprintf("%d bytes of the log are not in it", h.Behind), repair)
	}
	return f
}

// shorten shortens a text of the lock file to most characters.
func shorten(text string, most int) string {
	if n := 0; len(text) > most {
		for i := range text {
			if n++; n > most {
				return text[:i] + "…"
			}
		}
	}
	return text
}

// Diagnosis answers the question whether all is well with a store.
type Diagnosis struct {
	Findings []Check `json:"findings"`
	Root     string  `json:"root"`
}
