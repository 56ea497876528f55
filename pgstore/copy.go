package pgstore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/state"
)

const (
	// worthBuilding is how many envelopes a space has for which a state is built from the newest
	// of each key; fewer are fetched one after the other.
	worthBuilding = 20_000
	// tailWorth is how many bytes of tail make a new state worth its while.
	tailWorth = 4 << 20
	// maxUnsaved is how many bytes wait for the tail while another process has it.
	maxUnsaved = 16 << 20
	// maxHeader is how long the first line of a tail may be.
	maxHeader = 4 << 10
)

// lockName is the lock of who changes the copy.
const lockName = "lock"

// position is what a copy is of: in the checkpoint of a state, and in the first line of a tail.
type position struct {
	Store string `json:"store"` // which database; see mem.store
	Copy  string `json:"copy"`  // the id of this copy
	Gen   int64  `json:"gen"`   // purges that it has followed
	Seq   int64  `json:"seq"`   // of the last envelope that the state covers; 0: there is no state
	Sum   string `json:"sum"`   // log.Sum of that
}

// members returns the position for a checkpoint.
func (p position) members() state.Position {
	text, _ := json.Marshal(p) // it cannot fail
	return state.Position(strings.Trim(string(text), "{}"))
}

// localCopy is the copy of a space on this machine, which other processes use too.
type localCopy struct {
	dir    *disk.Dir
	locker *log.Locker
	pos    position // of the state; without Store: there is nothing yet

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
	c := &localCopy{dir: dir, locker: log.NewLockerOf(dir, lockName)}
	sh, err := c.load()
	if err != nil {
		s.o.Debug("the copy is not used: " + err.Error())
		c.pos, c.tailBytes, c.after = position{}, 0, 0
		sh = emptyView()
	}
	return c, sh, nil
}

func emptyView() *shared {
	return &shared{view: state.NewView(nil, state.Fold{}, nil), head: head{high: log.MinStamp}}
}

func (c *localCopy) close() { c.dir.Close() }

// empty reports whether there is no copy.
func (c *localCopy) empty() bool { return c.pos.Store == "" }

// load reads state and tail. A state that is replaced meanwhile has another tail, and then this one
// is as it was.
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
	if err != nil {
		if sh.file != nil {
			sh.file.Close()
		}
		return nil, err
	}
	c.after = sh.last.seq
	for _, r := range rows {
		c.after = r.seq
	}
	return withRows(sh, rows), nil
}

// use makes a state the base of a view.
func (c *localCopy) use(sh *shared, file *state.File) error {
	err := json.Unmarshal([]byte("{"+string(file.Position)+"}"), &c.pos)
	if err != nil {
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
	header, err := in.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("tail: %w", state.ErrCheckpoint)
	}
	var pos position
	if err := json.Unmarshal(header, &pos); err != nil || !c.empty() && pos != c.pos {
		return nil, fmt.Errorf("tail: %w", state.ErrCheckpoint)
	}
	c.pos, c.tailBytes = pos, int64(len(header))
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

// parseRow reads a line of a tail: the seq, a space and the envelope, whose checksum must be right.
func parseRow(line string) (r row, ok bool) {
	number, envelope, ok := strings.Cut(line, " ")
	seq, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return r, false
	}
	return row{seq, envelope}, log.Sealed([]byte(envelope))
}

// add notes rows for the tail, which came after a seq.
func (c *localCopy) add(after int64, rows []row) {
	if len(c.unsaved) == 0 {
		c.after = after
	}
	c.unsaved = append(c.unsaved, rows...)
	for _, r := range rows {
		c.unsavedSize += len(r.line)
	}
}

// save adds to the tail what this process knows and the tail has not. It is best effort: where
// another process has the copy, or the disk fails, the next read asks the server for more.
func (c *localCopy) save(s *Store) {
	if len(c.unsaved) == 0 {
		return
	}
	lock, err := c.locker.Acquire(s.follow.ctx, "follow", s.o.Now(), 0)
	if err != nil {
		if c.unsavedSize > maxUnsaved { // the next state has it all
			c.unsaved, c.unsavedSize = nil, 0
		}
		return
	}
	defer lock.Unlock()
	if err := c.appendTail(); err != nil {
		s.o.Debug("the copy is not written: " + err.Error())
	}
	if c.tailBytes > tailWorth {
		s.o.OnCopyDue()
	}
}

// appendTail appends the rows that follow what is there. The lock is held.
func (c *localCopy) appendTail() error {
	f, err := c.dir.Edit(tailName(c.pos.Seq))
	if errors.Is(err, fs.ErrNotExist) {
		return c.startTail()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, lastSeq, err := tailEnd(f, c.pos.Seq)
	if err != nil || lastSeq < c.after {
		return errorOr(err, fmt.Errorf("tail: it ends before what this process has"))
	}
	text := c.text(lastSeq)
	// A crash in this leaves a line that is cut off, which the next one removes.
	if err := f.Truncate(size); err != nil {
		return err
	}
	if _, err := f.WriteAt(text, size); err != nil {
		return err
	}
	c.saved(size + int64(len(text)))
	return nil
}

// saved notes that everything is in the tail.
func (c *localCopy) saved(size int64) {
	if n := len(c.unsaved); n > 0 {
		c.after = c.unsaved[n-1].seq
	}
	c.unsaved, c.unsavedSize, c.tailBytes = nil, 0, size
}

// text returns the lines of what comes after a seq.
func (c *localCopy) text(after int64) []byte {
	var text bytes.Buffer
	for _, r := range c.unsaved {
		if r.seq > after {
			fmt.Fprintf(&text, "%d %s\n", r.seq, r.line)
		}
	}
	return text.Bytes()
}

// startTail writes a tail where there is none.
func (c *localCopy) startTail() error {
	if c.after != c.pos.Seq {
		return fmt.Errorf("tail: somebody has removed it")
	}
	header, err := json.Marshal(c.pos)
	if err != nil {
		return err
	}
	text := append(append(header, '\n'), c.text(c.pos.Seq)...)
	// A crash before the rename in this leaves a temporary file.
	if err := c.dir.WriteFile(tailName(c.pos.Seq), text); err != nil {
		return err
	}
	c.saved(int64(len(text)))
	return nil
}

// tailEnd returns where the whole lines of a tail end, and the seq of the last one; that of the
// state where there is none.
func tailEnd(f *disk.File, base int64) (size, seq int64, err error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	// The last whole line is looked for in a piece of the end, and where it is longer in more.
	for piece := int64(64 << 10); ; piece *= 8 {
		from := max(fi.Size()-piece, 0)
		text := make([]byte, fi.Size()-from)
		if _, err := f.ReadAt(text, from); err != nil && err != io.EOF {
			return 0, 0, err
		}
		end := bytes.LastIndexByte(text, '\n')
		begin := bytes.LastIndexByte(text[:max(end, 0)], '\n')
		switch {
		case end >= 0 && begin >= 0:
			r, ok := parseRow(string(text[begin+1 : end]))
			if !ok {
				return 0, 0, fmt.Errorf("tail: %w", state.ErrCheckpoint)
			}
			return from + int64(end) + 1, r.seq, nil
		case from == 0 && end >= 0: // the header alone
			return int64(end) + 1, base, nil
		case from == 0:
			return 0, 0, fmt.Errorf("tail: %w", state.ErrCheckpoint)
		}
	}
}
