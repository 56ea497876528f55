package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/log"
)

// Starts keep for each project whose memory is behind a server the answer to the last start of a
// conversation, for the next one while the server is out of reach.
type Starts struct {
	dir string // "": there is no place for any
	now func() time.Time
}

// Start is such an answer.
type Start struct {
	V    int       `json:"v"`
	URL  string    `json:"url"`
	Root string    `json:"root,omitempty"` // the .mem of the project; "": the memory was named
	At   log.Stamp `json:"at"`

	Sent inject.Sent `json:"sent,omitzero"`
	Out  log.Stamp   `json:"out,omitempty"` // since when the server is out of reach; 0: it is not
}

const (
	startsDir = "starts"
	maxStart  = 1 << 20
	// startForm is the form of the files. Those of form 1 have the text of a server, which no model
	// reads any more.
	startForm = 2

	// startLife is how long an answer may stand in for a newer one.
	startLife = 7 * 24 * time.Hour
	// quiet is how long a server that was out of reach is not asked at prompts and edits.
	quiet = 30 * time.Second
)

// StartsIn returns the starts of a user with this state directory.
func StartsIn(state string, now func() time.Time) Starts {
	if state != "" {
		state = filepath.Join(state, startsDir)
	}
	return Starts{state, now}
}

// Now returns the time, for a start that is kept.
func (s Starts) Now() log.Stamp { return log.StampOf(s.now()) }

// StartID returns the name of a start: what it depends on, as the URL, the token, the project, the
// agent and the client. The name reveals none of them.
func StartID(of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// Load returns a start; the zero one where there is none, or it is older than a week.
func (s Starts) Load(id string) (one Start) {
	if s.dir == "" {
		return one
	}
	dir, err := disk.Open(s.dir)
	if err != nil {
		return one
	}
	defer dir.Close()
	return s.read(dir, id)
}

func (s Starts) read(dir *disk.Dir, id string) (one Start) {
	text, err := dir.ReadFile(id, maxStart)
	if err != nil || json.Unmarshal(text, &one) != nil || one.V > startForm || s.isOld(one) {
		return Start{}
	}
	return one
}

// IsText reports whether a start is one of an older mem, whose text is left out.
func (one Start) IsText() bool { return one.V != 0 && one.V < startForm }

// isOld reports whether an answer has expired. One of the future is of a clock that was wrong.
func (s Starts) isOld(one Start) bool {
	age := s.now().Sub(one.At.Time())
	return age > startLife || age < -time.Hour
}

// IsQuiet reports whether the server of a start was out of reach a moment ago.
func (s Starts) IsQuiet(one Start) bool {
	return one.Out != 0 && s.now().Sub(one.Out.Time()).Abs() < quiet
}

// Keep stores a start in the place of the one before, and removes those that have expired.
func (s Starts) Keep(id string, one Start) error {
	if s.dir == "" {
		return nil
	}
	one.V = startForm
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	dir, err := disk.Create(s.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := s.drop(dir, s.isOld); err != nil {
		return err
	}
	// By rename: a crash leaves the old one or the new one.
	return dir.WriteFile(id, append(text, '\n'))
}

// Drop removes the starts of a memory, or of a project: of those that have the URL or the root.
func (s Starts) Drop(url, root string) error {
	if s.dir == "" {
		return nil
	}
	dir, err := disk.Open(s.dir)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	return s.drop(dir, func(one Start) bool {
		return one.URL == url && url != "" || one.Root == root && root != "" || s.isOld(one)
	})
}

// drop removes the starts that a function picks; a damaged file counts as an expired one.
func (s Starts) drop(dir *disk.Dir, picks func(Start) bool) error {
	names, err := dir.Names(".")
	errs := []error{err}
	for _, name := range names {
		fi, err := dir.Lstat(name)
		isOurs := err == nil && fi.Mode().IsRegular() && strings.HasSuffix(name, ".json")
		if isOurs && picks(s.read(dir, name)) {
			// A crash leaves some of them, which the next call removes, or which expire.
			errs = append(errs, disk.IgnoreNotExist(dir.Remove(name)))
		}
	}
	return errors.Join(errs...)
}
