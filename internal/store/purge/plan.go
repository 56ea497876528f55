package purge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// File is the name of the plan below a root.
const File = "purge.json"

// ErrPlan is wrapped where purge.json is there and cannot be read.
var ErrPlan = errors.New("no valid plan of a purge")

// Plan names the records that a purge takes out of a store.
type Plan struct {
	Horizon    log.Stamp       `json:"horizon"` // versions at or before it go
	Keys       []keypath.Key   `json:"keys"`
	Tombstones bool            `json:"tombstones"` // those at the horizon stay
	Source     json.RawMessage `json:"source"`     // of the tombstones, an object
	Lock       uint64          `json:"lock"`       // see LockOf
	// Marks are the first times that stay by the marks of other copies, by key; nil: the purge
	// began here. Of each key the versions that its own mark takes go, for clocks differ.
	Marks map[string]log.Stamp `json:"marks,omitempty"`
	// Seen are the newest times of the versions that go, by key, at most Limit: each stands in the
	// tombstone of its key, with the latest of the others.
	Seen map[string]log.Stamp `json:"seen,omitempty"`
	// Besides are the times of other versions that go by a mark, by key: those after Marks, or that
	// the tombstone of a key is to have beside Seen ([content.Besides]).
	Besides map[string][]log.Stamp `json:"besides,omitempty"`
	// Anew says that a version goes which is newer than the mark that takes it: nothing keeps that
	// out of the state but that the state is made of the history once the version is gone from it.
	Anew  bool     `json:"anew,omitempty"`
	Blobs []string `json:"blobs,omitempty"` // sums of the versions' blobs
	// Archives are those that an earlier mem was about to replace, or had replaced.
	Archives []struct {
		Name string `json:"name"`
	} `json:"archives,omitempty"`

	Limit log.Stamp  `json:"-"` // the latest time that Seen may have: no clock is so far ahead
	set   log.Wanted // of the keys; made by Wanted
}

// MarkedBy returns the plan to purge what some marks of purges take, which the history has.
func MarkedBy(marks ...log.Envelope) *Plan {
	p := &Plan{Tombstones: true, Source: []byte("{}"), Marks: map[string]log.Stamp{},
		Besides: map[string][]log.Stamp{}}
	for _, mark := range marks {
		key := mark.Key.String()
		if _, again := p.Marks[key]; !again {
			p.Keys = append(p.Keys, mark.Key)
		}
		p.Horizon = max(p.Horizon, mark.TS)
		reach := p.reach(key)
		reach.Add(content.ReachOf(mark))
		p.Marks[key], p.Besides[key] = reach.To+1, reach.Besides
	}
	return p
}

// reach returns what marks take of a key.
func (p *Plan) reach(key string) content.Reach {
	return content.Reach{To: p.Marks[key] - 1, Besides: p.Besides[key]}
}

// Wanted returns the keys for log.Find.
func (p *Plan) Wanted() log.Wanted {
	if p.set == nil {
		p.set = log.Want(p.Keys...)
	}
	return p.set
}

// Takes reports whether a record goes.
func (p *Plan) Takes(rec log.Record) bool {
	if p.Marks != nil {
		key := rec.Key.String()
		_, has := p.Marks[key]
		return has && p.reach(key).Takes(rec.Envelope)
	}
	return rec.TS <= p.Horizon && p.Wanted().Has(rec.Key) && !(p.Tombstones && p.IsTombstone(rec))
}

// Saw notes a version that goes, while the horizon is not known yet.
func (p *Plan) Saw(rec log.Record) {
	if p.Horizon != log.MaxStamp || !p.Tombstones {
		return
	}
	if p.Seen == nil {
		p.Seen, p.Besides = map[string]log.Stamp{}, map[string][]log.Stamp{}
	}
	key, at := rec.Key.String(), min(rec.TS, p.Limit)
	if old, again := p.Seen[key]; again {
		p.Besides[key] = append(p.Besides[key], min(old, at))
		at = max(old, at)
	}
	p.Seen[key] = at
	p.Besides[key] = append(p.Besides[key], content.Named(rec.Envelope)...)
	if rec.TS > p.Limit {
		p.Besides[key] = append(p.Besides[key], rec.TS)
	}
}

// SourceOf returns the source of the tombstone of a key.
func (p *Plan) SourceOf(key keypath.Key) []byte {
	seen, ok := p.Seen[key.String()]
	if !ok {
		return p.Source
	}
	return content.WithSeen(p.Source, seen, p.Besides[key.String()])
}

// IsTombstone reports whether a record of a key is a tombstone of this purge.
func (p *Plan) IsTombstone(rec log.Record) bool {
	return !rec.Valid() && bytes.Equal(rec.Source, p.SourceOf(rec.Key))
}

// Stones returns the tombstones of the plan: one for each key, one after the other in time, the
// last one at the horizon.
func (p *Plan) Stones() []log.Envelope {
	list := make([]log.Envelope, len(p.Keys))
	for i, key := range p.Keys {
		list[i] = log.Envelope{Key: key, TS: p.Horizon - log.Stamp(len(p.Keys)-1-i),
			Source: p.SourceOf(key), Content: []byte("null")}
	}
	return list
}

// AddBlobs adds blobs to those that the plan names: once lines of the keys are gone, it alone still
// knows theirs. Names that are no sums are dropped.
func (p *Plan) AddBlobs(sums []string) {
	p.Blobs = slices.DeleteFunc(slices.Concat(p.Blobs, sums),
		func(sum string) bool { return !content.IsBlobSum(sum) })
	slices.Sort(p.Blobs)
	p.Blobs = slices.Compact(p.Blobs)
}

// ReplacedArchives returns the names of Archives.
func (p *Plan) ReplacedArchives() (names []string) {
	for _, a := range p.Archives {
		names = append(names, a.Name)
	}
	return names
}

// LockOf returns the inode of the store's lock, which is never replaced: a plan with another one
// came with a copy of a store, or by git, and is no order to delete.
func LockOf(dir *disk.Dir) (uint64, error) {
	fi, err := dir.Lstat(log.LockFile)
	if err != nil {
		return 0, disk.IgnoreNotExist(err)
	}
	return disk.Ino(fi), nil
}

// Write writes the plan below a root, durably. A crash within leaves none, or the whole of it.
func Write(dir *disk.Dir, p *Plan) error {
	text, err := p.encode()
	if err != nil {
		return err
	}
	return dir.WriteBytesSync(File, append(text, '\n'))
}

func (p *Plan) encode() ([]byte, error) {
	var out bytes.Buffer
	text := json.NewEncoder(&out)
	text.SetEscapeHTML(false)
	err := text.Encode(struct {
		V int `json:"v"`
		*Plan
	}{log.FormatVersion, p})
	return log.Seal(bytes.TrimSpace(out.Bytes())), err
}

// maxPlan is the greatest size of a plan: a namespace of a million keys fits.
const maxPlan = 256 << 20

// Read returns the plan below a root; nil where there is none. The error wraps ErrPlan for a file
// that is none, or was not made in this very store, log.ErrNewer for that of a later mem, or is the
// file system's.
func Read(dir *disk.Dir) (*Plan, error) {
	text, err := dir.ReadFile(File, maxPlan)
	if errors.Is(err, disk.ErrIrregular) {
		return nil, fmt.Errorf("%s: %w: %w", File, ErrPlan, err)
	}
	if err != nil {
		return nil, disk.IgnoreNotExist(err)
	}
	p, err := decode(text)
	if err == nil {
		if lock, failed := LockOf(dir); failed != nil || lock != p.Lock {
			err = fmt.Errorf("%w: it was not made here", ErrPlan)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return p, nil
}

func decode(text []byte) (*Plan, error) {
	object, err := jsontext.Compact(nil, text)
	if err != nil || !log.Sealed(object) {
		return nil, ErrPlan
	}
	var of struct{ V int }
	if json.Unmarshal(object, &of) == nil && of.V > log.FormatVersion {
		return nil, log.ErrNewer
	}
	p := &Plan{}
	if json.Unmarshal(object, p) != nil || len(p.Keys) == 0 || p.Horizon == 0 {
		return nil, ErrPlan
	}
	return p, nil
}

// Remove removes the plan: the purge is done.
func Remove(dir *disk.Dir) error {
	// A crash before this leaves the plan, and the next writer finds nothing more to do; before the
	// sync a power cut may bring it back, to the same end.
	if err := disk.IgnoreNotExist(dir.Remove(File)); err != nil {
		return err
	}
	return dir.Sync()
}
