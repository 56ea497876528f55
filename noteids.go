package mem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// An id is never given twice (N-08), so the next one depends on every note that ever was: a compaction drops the tombstones of deleted notes from
// the state, and only archives and log know of them. So that not every note reads the whole history, the sidecar cache/notes keeps the
// highest number, and how much of the history has been looked through for it. The number only ever rises: to read a part of the history twice does
// no harm, and nothing that a crash, a copy or a deletion does to the sidecar can bring an id back.

// noteIDsDir and noteIDsFile name the sidecar.
const (
	noteIDsDir  = "cache"
	noteIDsFile = "notes"
)

// noteDigits is the most that the number of an id may have: what a stranger writes below /note must not use the numbers up.
const noteDigits = 15

// noteIDs is the sidecar.
type noteIDs struct {
	Highest  int64            `json:"highest"`  // number ever given
	Archives map[string]int64 `json:"archives"` // looked through, with their sizes
	Ino      uint64           `json:"ino"`      // of the log that was looked through
	Offset   int64            `json:"offset"`   // up to where
	Last     string           `json:"last"`     // sum of the last line there

	kept bool // the sidecar on disk says all this, or nearly
}

// saveEvery is how many bytes of log are looked through in less time than it takes to write the sidecar.
const saveEvery = 8 << 10

// load reads the sidecar. Any error means only that the history must tell.
func (c *noteIDs) load(root *disk.Dir) {
	c.Archives = map[string]int64{}
	if root == nil {
		return
	}
	text, err := root.ReadFile(noteIDsDir+"/"+noteIDsFile, 1<<20)
	var kept noteIDs
	if err == nil && log.Sealed(text) && json.Unmarshal(text, &kept) == nil && kept.Archives != nil {
		*c = kept
		c.kept = true
	}
}

// save writes the sidecar. It is only a shorter way, so it may fail.
func (c *noteIDs) save(root *disk.Dir) {
	text, err := json.Marshal(c)
	if err != nil {
		return
	}
	dir, err := root.Sub(noteIDsDir, true)
	if err != nil {
		return
	}
	defer dir.Close()
	dir.WriteFile(noteIDsFile, append(log.Seal(text), '\n'))
}

// catchUpArchives looks through the archives that are new. They never change but by a repair, and that gives them another size. No lock is
// needed, so the first note of a store with a long history lets other writers go on.
func (c *noteIDs) catchUpArchives(root *disk.Dir) error {
	if root == nil {
		return nil
	}
	names, err := log.Archives(root)
	if err != nil {
		return err
	}
	looked := make(map[string]int64, len(names))
	for _, name := range names {
		fi, err := root.Lstat(name)
		if err != nil {
			return err
		}
		if size, known := c.Archives[name]; !known || size != fi.Size() {
			c.kept = false
			if err := compact.InArchive(root, name, c.see); err != nil {
				return err
			}
		}
		looked[name] = fi.Size()
	}
	c.Archives = looked
	return nil
}

// catchUp looks through what is new in archives and log, under the lock: all of the log where it is not the one that was looked through, or
// has been changed by other hands.
func (c *noteIDs) catchUp(wr *compact.Writer) error {
	if err := c.catchUpArchives(wr.Dir); err != nil {
		return err
	}
	from, err := c.follows(wr.Live)
	if err != nil {
		return err
	}
	for rec, err := range log.Scan(wr.Live.From(from), log.File, log.Start{Off: from}) {
		if err := c.see(rec, err); err != nil {
			return err
		}
	}
	return nil
}

// follows gives the offset up to which the log is known; 0 where it is another.
func (c *noteIDs) follows(live *log.Live) (int64, error) {
	if c.Ino != live.Ino() || c.Offset > live.Size() {
		return 0, nil
	}
	last, err := live.SumBefore(c.Offset)
	if err != nil || last != c.Last {
		c.kept = false
		return 0, err
	}
	return c.Offset, nil
}

func (c *noteIDs) see(rec log.Record, err error) error {
	if d := (*log.Damage)(nil); errors.As(err, &d) {
		rec.Key, err = keyOf(d), nil
	}
	if id, ok := noteID(rec.Key); ok {
		n, _ := noteNumber(id)
		c.Highest = max(c.Highest, n)
	}
	return err
}

// keyOf gives the key that a damaged line still shows: a repair may bring the note back, and its id must not be another's by then.
func keyOf(d *log.Damage) (key keypath.Key) {
	_, rest, _ := bytes.Cut(d.Raw, []byte(`"key":"`))
	if text, _, closed := bytes.Cut(rest, []byte{'"'}); closed {
		key, _ = keypath.Parse(string(text))
	}
	return key
}

// next gives the id of the next note.
func (c *noteIDs) next() (string, error) {
	id := noteIDPrefix + strconv.FormatInt(c.Highest+1, 10)
	if _, ok := noteNumber(id); !ok {
		return "", fmt.Errorf("%w: the numbers of notes are used up", ErrInput)
	}
	return id, nil
}

// given notes that the next id is stored, with all that is in the log, unless the next note can see so for itself.
func (c *noteIDs) given(wr *compact.Writer) {
	c.Highest++
	if c.kept && c.Ino == wr.Live.Ino() && wr.Live.Size()-c.Offset < saveEvery {
		return
	}
	last, err := wr.Live.SumBefore(wr.Live.Size())
	if err != nil {
		return
	}
	c.Ino, c.Offset, c.Last = wr.Live.Ino(), wr.Live.Size(), last
	c.save(wr.Dir)
}

const noteIDPrefix = "m-"

// noteNumber reads an id. It has one spelling: no sign, no leading zero.
func noteNumber(id string) (int64, bool) {
	digits, ok := strings.CutPrefix(id, noteIDPrefix)
	if !ok || digits == "" || len(digits) > noteDigits || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// noteID gives the id in the key of a note; not ok for any other key.
func noteID(key keypath.Key) (id string, ok bool) {
	rest, ok := strings.CutPrefix(key.String(), noteSpace+"/")
	if !ok {
		return "", false
	}
	scope, id, _ := strings.Cut(rest, "/")
	_, ok = noteNumber(id)
	return id, ok && slices.Contains(NoteScopes[:], scope)
}
