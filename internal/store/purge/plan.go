package purge

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

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

// Plan is what a purge takes out of a store.
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

// IsMark reports whether a record is the tombstone that a purge has left: its key must not have
// versions before it (C-06).
func IsMark(rec log.Record) bool {
	return !rec.Valid() && !rec.Unsealed && Marks(rec.Source)
}

// Marks reports whether a source is that of a mark: no other write may have such a one.
func Marks(source []byte) bool {
	for name, value := range jsontext.Members(source) {
		if name == "purged" {
			return string(value) == "true"
		}
	}
	return false
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
	return dir.WriteFileSync(File, func(w io.Writer) error {
		_, err := w.Write(append(p.encode(), '\n'))
		return err
	})
}

func (p *Plan) encode() []byte {
	var o jsontext.Object
	keys := make([]string, len(p.Keys))
	for i, key := range p.Keys {
		keys[i] = key.String()
	}
	o.Raw("v", []byte(strconv.Itoa(log.FormatVersion)))
	o.Text("horizon", p.Horizon.String())
	o.Raw("keys", jsontext.AppendStrings(nil, keys))
	o.Raw("tombstones", strconv.AppendBool(nil, p.Tombstones))
	o.Raw("source", p.Source)
	o.Raw("lock", strconv.AppendUint(nil, p.Lock, 10))
	list := []byte{'['}
	for i, a := range p.Archives {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, a.encode()...)
	}
	o.Raw("archives", append(list, ']'))
	if len(p.Blobs) > 0 {
		o.Raw("blobs", jsontext.AppendStrings(nil, p.Blobs))
	}
	return log.Seal(o.Bytes())
}

func (a Archive) encode() []byte {
	var o jsontext.Object
	o.Text("name", a.Name)
	o.Raw("old_size", strconv.AppendInt(nil, a.Old.Size, 10))
	o.Text("old_sum", a.Old.Sum)
	o.Raw("size", strconv.AppendInt(nil, a.New.Size, 10))
	o.Text("sum", a.New.Sum)
	return o.Bytes()
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
	p, version := &Plan{}, 0
	var errs []error
	for name, value := range jsontext.Members(object) {
		var err error
		switch name {
		case "v":
			version, err = strconv.Atoi(string(value))
		case "horizon":
			p.Horizon, err = log.ParseTime(jsontext.Unquote(value))
		case "keys":
			p.Keys, err = decodeKeys(value)
		case "tombstones":
			p.Tombstones = string(value) == "true"
		case "lock":
			p.Lock, err = strconv.ParseUint(string(value), 10, 64)
		case "source":
			p.Source = append([]byte(nil), value...)
		case "archives":
			p.Archives, err = decodeArchives(value)
		case "blobs":
			for text := range jsontext.Elements(value) {
				p.Blobs = append(p.Blobs, jsontext.Unquote(text))
			}
		}
		errs = append(errs, err)
	}
	switch {
	case version > log.FormatVersion:
		return nil, log.ErrNewer
	case errors.Join(errs...) != nil || len(p.Keys) == 0 || p.Horizon == 0:
		return nil, ErrPlan
	}
	return p, nil
}

func decodeKeys(value []byte) (keys []keypath.Key, err error) {
	for text := range jsontext.Elements(value) {
		key, err := keypath.Parse(jsontext.Unquote(text))
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func decodeArchives(value []byte) (list []Archive, err error) {
	for object := range jsontext.Elements(value) {
		var a Archive
		for name, value := range jsontext.Members(object) {
			var e error
			switch name {
			case "name":
				a.Name = jsontext.Unquote(value)
			case "old_size":
				a.Old.Size, e = strconv.ParseInt(string(value), 10, 64)
			case "old_sum":
				a.Old.Sum = jsontext.Unquote(value)
			case "size":
				a.New.Size, e = strconv.ParseInt(string(value), 10, 64)
			case "sum":
				a.New.Sum = jsontext.Unquote(value)
			}
			err = errors.Join(err, e)
		}
		list = append(list, a)
	}
	return list, err
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
