package purge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	Keys       []keypath.Key
	Horizon    log.Stamp // versions at or before it go
	Tombstones bool      // those at the horizon stay
	Source     []byte    // of the tombstones, a JSON object
	Archives   []Archive // those that change
	Blobs      []string  // sums of the blobs that the versions which go were about
	Lock       uint64    // inode of the store's lock: a plan of another store counts for nothing

	set log.Wanted // of the keys; made by Wanted
}

// Archive is an archive before and after the purge.
type Archive struct {
	Name     string // below the root
	Old, New Extent
}

// Extent is a segment's size, and the log.Sum of its last line.
type Extent struct {
	Size int64
	Sum  string
}

// planText is a plan as purge.json holds it.
type planText struct {
	V          int             `json:"v"`
	Horizon    log.Stamp       `json:"horizon"`
	Keys       []string        `json:"keys"`
	Tombstones bool            `json:"tombstones"`
	Source     json.RawMessage `json:"source"`
	Lock       uint64          `json:"lock"`
	Archives   []archiveText   `json:"archives"`
	Blobs      []string        `json:"blobs,omitempty"`
}

type archiveText struct {
	Name    string `json:"name"`
	OldSize int64  `json:"old_size"`
	OldSum  string `json:"old_sum"`
	Size    int64  `json:"size"`
	Sum     string `json:"sum"`
}

// Wanted returns the keys for log.Find.
func (p *Plan) Wanted() log.Wanted {
	if p.set == nil {
		p.set = log.Want(p.Keys...)
	}
	return p.set
}

// Takes reports whether a record goes. last says that the tombstones go too where the plan does not
// keep them: as long as anything of the keys is left, they must stay.
func (p *Plan) Takes(rec log.Record, last bool) bool {
	if rec.TS > p.Horizon || !p.Wanted().Has(rec.Key) {
		return false
	}
	return !p.isTombstone(rec) || last && !p.Tombstones
}

// isTombstone reports whether a record is a tombstone of this purge.
func (p *Plan) isTombstone(rec log.Record) bool {
	return !rec.Valid() && string(rec.Source) == string(p.Source)
}

// Stones returns the tombstones of the plan: one for each key, one after the other in time, the
// last one at the horizon.
func (p *Plan) Stones() []log.Envelope {
	list := make([]log.Envelope, len(p.Keys))
	for i, key := range p.Keys {
		list[i] = log.Envelope{Key: key, TS: p.Horizon - log.Stamp(len(p.Keys)-1-i),
			Source: p.Source, Content: []byte("null")}
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

// Done returns the new extent of an archive that the plan says is replaced when it has this one.
func (p *Plan) Done(name string, have Extent) bool {
	for _, a := range p.Archives {
		if a.Name == name {
			return a.New == have
		}
	}
	return false
}

// Write writes the plan below a root, durably. A crash within leaves none, or the whole of it.
func Write(dir *disk.Dir, p *Plan) error {
	text, err := p.encode()
	if err != nil {
		return err
	}
	return dir.WriteFileSync(File, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

func (p *Plan) encode() ([]byte, error) {
	t := planText{log.FormatVersion, p.Horizon, make([]string, len(p.Keys)), p.Tombstones,
		p.Source, p.Lock, make([]archiveText, len(p.Archives)), p.Blobs}
	for i, key := range p.Keys {
		t.Keys[i] = key.String()
	}
	for i, a := range p.Archives {
		t.Archives[i] = archiveText{a.Name, a.Old.Size, a.Old.Sum, a.New.Size, a.New.Sum}
	}
	var out bytes.Buffer
	text := json.NewEncoder(&out)
	text.SetEscapeHTML(false)
	err := text.Encode(t)
	return log.Seal(bytes.TrimSpace(out.Bytes())), err
}

// maxPlan is the greatest size of a plan: a namespace of a million keys fits.
const maxPlan = 256 << 20

// Read returns the plan below a root; nil where there is none. The error wraps ErrPlan for a file
// that is none, log.ErrNewer for that of a later mem, or is the file system's.
func Read(dir *disk.Dir) (*Plan, error) {
	text, err := dir.ReadFile(File, maxPlan)
	if err != nil {
		return nil, disk.IgnoreNotExist(err)
	}
	object, err := jsontext.Compact(nil, text)
	if err != nil || !log.Sealed(object) {
		return nil, fmt.Errorf("%s: %w", File, ErrPlan)
	}
	p, err := decode(object)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return p, nil
}

func decode(object []byte) (*Plan, error) {
	var of struct{ V int }
	var t planText
	if json.Unmarshal(object, &of) == nil && of.V > log.FormatVersion {
		return nil, log.ErrNewer
	}
	if json.Unmarshal(object, &t) != nil || len(t.Keys) == 0 || t.Horizon == 0 {
		return nil, ErrPlan
	}
	p := &Plan{Horizon: t.Horizon, Tombstones: t.Tombstones, Source: t.Source, Lock: t.Lock,
		Blobs: t.Blobs}
	for _, text := range t.Keys {
		key, err := keypath.Parse(text)
		if err != nil {
			return nil, ErrPlan
		}
		p.Keys = append(p.Keys, key)
	}
	for _, a := range t.Archives {
		p.Archives = append(p.Archives,
			Archive{a.Name, Extent{a.OldSize, a.OldSum}, Extent{a.Size, a.Sum}})
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
