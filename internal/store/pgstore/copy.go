package pgstore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Variables, for tests would take long otherwise.
var (
	// worthBuilding is how many envelopes a space has for which a state is built from the newest
	// of each key; fewer are fetched one after the other.
	worthBuilding int64 = 20_000
	// tailWorth is how many bytes of tail make a new state worth its while.
	tailWorth int64 = 4 << 20
)

const (
	// maxUnsaved is how many bytes wait for the tail while another process has it.
	maxUnsaved = 16 << 20
	// maxHeader is how long the first line of a tail may be.
	maxHeader = 4 << 10
)

// lockName is the lock of a process that changes the copy.
const lockName = "lock"

// position is what a copy is of: in the checkpoint of a state, and in the first line of a tail.
type position struct {
	Store string `json:"store"` // which database; see mem.store
	Space string `json:"space"`
	Copy  string `json:"copy"` // the id of this copy
	Gen   int64  `json:"gen"`  // purges that it has followed
	Seq   int64  `json:"seq"`  // of the last envelope that the state covers; 0: there is no state
	Sum   string `json:"sum"`  // log.Sum of that
}

func (p position) members() state.Position {
	text, _ := json.Marshal(p) // it cannot fail
	return state.Position(strings.Trim(string(text), "{}"))
}

// positionOf returns the position that a checkpoint has.
func positionOf(c state.Checkpoint) (p position, err error) {
	err = json.Unmarshal([]byte("{"+string(c.Position)+"}"), &p)
	return p, err
}

// localCopy is the copy of a space on this machine, which other processes use too.
type localCopy struct {
	dir    *disk.Dir
	locker *log.Locker
	space  string
	pos    position // of the state; without Store: there is nothing yet
	stale  bool     // the files do not fit pos: the next read opens them again

	tailBytes   int64 // as far as this process knows
	unsaved     []row // that are not in the tail yet
	unsavedSize int
	after       int64 // seq before the first of unsaved
}

// tailName returns the name of the tail of a state that covers up to seq.
func tailName(seq int64) string { return "tail-" + strconv.FormatInt(seq, 10) }

// openCopy opens the copy on this machine, and the view of it. One that cannot be read is empty.
func openCopy(s *Store) (*localCopy, *shared, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, nil, err
	}
	c := &localCopy{dir: dir, locker: log.NewLockerOf(dir, lockName), space: s.place.Space}
	fresh, sh := c.reopen(s)
	return fresh, sh, nil
}

// reopen opens the copy that is in the directory now.
func (c *localCopy) reopen(s *Store) (*localCopy, *shared) {
	fresh := &localCopy{dir: c.dir, locker: c.locker, space: c.space}
	sh, err := fresh.load()
	if err != nil {
		s.o.Debug("the copy is not used: " + err.Error())
		fresh = &localCopy{dir: c.dir, locker: c.locker, space: c.space}
		sh = emptyView()
	}
	return fresh, sh
}

func emptyView() *shared {
	return &shared{view: state.NewView(nil, state.Fold{}, nil), head: head{high: log.MinStamp}}
}

func (c *localCopy) close() { c.dir.Close() }

func (c *localCopy) empty() bool { return c.pos.Store == "" }

// load reads state and tail. A state that is replaced meanwhile has another tail.
func (c *localCopy) load() (*shared, error) {
	sh := emptyView()
	file, err := state.Open(c.dir)
	switch {
	case errors.Is(err, state.ErrCheckpoint):
	case err != nil:
		return nil, err
	default:
		if err := c.use(sh, file); err != nil {
			file.Close()
			return nil, err
		}
	}
	rows, err := c.readTail()
	if !c.empty() && c.pos.Space != c.space {
		err = fmt.Errorf("it is of %q", c.pos.Space)
	}
	if err != nil {
		if sh.file != nil {
			sh.file.Close()
		}
		return nil, err
	}
	c.after, sh.of, sh.head.gen = sh.last.seq, c.pos.Copy, c.pos.Gen
	for _, r := range rows {
		c.after = r.seq
	}
	return withRows(sh, rows), nil
}

// use makes a state the base of a view.
func (c *localCopy) use(sh *shared, file *state.File) error {
	var err error
	if c.pos, err = positionOf(file.Checkpoint); err != nil {
		return err
	}
	if sound, err := file.Untouched(); err != nil || !sound {
		return errorOr(err, fmt.Errorf("%s: %w", state.FileName, state.ErrCheckpoint))
	}
	sh.file, sh.view = file, state.NewView(file, state.Fold{}, nil)
	sh.head = head{c.pos.Seq, file.MaxTS, c.pos.Gen}
	sh.last = last{c.pos.Seq, c.pos.Sum}
	return nil
}

// withRows adds to a view, which nobody uses yet, what came after it.
func withRows(sh *shared, rows []row) *shared {
	if len(rows) == 0 {
		return sh
	}
	fresh, damaged := folded(rows)
	sh.view = sh.view.Extend(sh.file, fresh, nil)
	sh.damaged = append(sh.damaged, damaged...)
	sh.last = rows[len(rows)-1].mark()
	sh.head.seq = sh.last.seq
	for _, rec := range fresh {
		sh.head.high = max(sh.head.high, rec.TS)
	}
	return sh
}

// readTail reads the tail of the state, or that of no state; nothing where there is none. A line
// that was cut off is not there.
func (c *localCopy) readTail() ([]row, error) {
	f, err := c.dir.Open(tailName(c.pos.Seq))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	pos, size, err := readHeader(in)
	if err != nil || !c.empty() && pos != c.pos {
		return nil, fmt.Errorf("tail: %w", state.ErrCheckpoint)
	}
	c.pos, c.tailBytes = pos, size
	var rows []row
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		r, ok := parseRow(strings.TrimSuffix(line, "\n"))
		if !ok || len(rows) > 0 && r.seq <= rows[len(rows)-1].seq {
			return nil, fmt.Errorf("tail: %w", state.ErrCheckpoint)
		}
		rows = append(rows, r)
		c.tailBytes += int64(len(line))
	}
}

// readHeader reads the first line of a tail, and returns its length.
func readHeader(in *bufio.Reader) (pos position, size int64, err error) {
	header, err := in.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(header, &pos)
	}
	return pos, int64(len(header)), err
}

// parseRow reads a line of a tail: the seq, a space and the envelope, whose checksum must be right.
func parseRow(line string) (r row, ok bool) {
	number, envelope, ok := strings.Cut(line, " ")
	seq, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return r, false
	}
	return row{seq, envelope}, log.Sealed([]byte(envelope))
}

// isThere reports whether a directory is still the one that stands under its name.
func isThere(dir *disk.Dir) bool {
	have, err := dir.Lstat(".")
	if err != nil {
		return false
	}
	there, err := os.Stat(dir.Path())
	return err == nil && os.SameFile(have, there)
}

// The time at which a copy last had all envelopes of the server is in a file beside it, for reads
// from the copy alone.

// syncedName is the file that says so.
const syncedName = "synced"

// syncedEvery is how old the file may be while a process reads on: its time is never too new.
const syncedEvery = time.Second

// synced is what the file has: at that time, the copy had all that the server had.
type synced struct {
	Copy string    `json:"copy"` // its id
	Seq  int64     `json:"seq"`  // the newest envelope by then: a crash may have taken it away
	At   log.Stamp `json:"at"`
	Seen log.Stamp `json:"seen"` // when the server last heard of the copy
}

// noteSynced notes that the copy on the disk has what a view has, which the server was asked for
// then. It is best effort, as the copy is. The right to ask is held.
func (f *follower) noteSynced(sh *shared, asked time.Time) {
	c := f.copy
	now := synced{c.pos.Copy, sh.last.seq, log.StampOf(asked), f.noted.Seen}
	if c.stale || len(c.unsaved) > 0 || f.noted.Copy == now.Copy &&
		now.At.Time().Sub(f.noted.At.Time()).Abs() < syncedEvery {
		return
	}
	text, _ := json.Marshal(now) // it cannot fail
	if err := c.dir.WriteFile(syncedName, append(text, '\n')); err != nil {
		f.store.o.Debug("the time of the sync was not recorded: " + err.Error())
		return
	}
	f.noted = now
}

// syncedAt returns when a copy had all that the server had; ok is false where nobody can tell.
func syncedAt(c *localCopy, sh *shared) (s synced, ok bool) {
	text, err := c.dir.ReadFile(syncedName, maxHeader)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err == nil && s.Copy == c.pos.Copy && s.Seq <= sh.last.seq
}

// asOf says of when a copy is.
func asOf(c *localCopy, sh *shared) string {
	if s, ok := syncedAt(c, sh); ok {
		return fmt.Sprintf("answered from this machine's copy, which is as of %s", s.At)
	}
	return fmt.Sprintf("answered from this machine's copy, whose time is unknown; its newest "+
		"memory is of %s", sh.head.high)
}

// ofCopy returns an error of what a copy alone cannot do.
func (s *database) ofCopy(why string) error {
	return inputFault(errors.New(s.place.Space+": "+why),
		advice.Shell("leave --from-copy out, or from_copy out of the URL, to ask the server"))
}

// online returns an error with --from-copy: a copy has live records only.
func (s *database) online() error {
	if !s.place.FromCopy {
		return nil
	}
	return s.ofCopy("this machine's copy has live memories, and neither history nor journals nor " +
		"files of artifacts")
}

// writable returns an error where answers come from the copy alone.
func (s *database) writable() error {
	if !s.place.FromCopy {
		return nil
	}
	return s.ofCopy("nothing can be written to the copy")
}
