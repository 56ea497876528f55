package filestore

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Archive is a segment in archive/ as the checkpoint lists it: it is truth, and whether one is
// missing, shorter or changed only a list of them can show.
type Archive struct {
	Name string // below the root
	Size int64  // bytes
	Last string // log.Sum of its last line
	Away bool   // it was not at hand when the state was folded

	whole bool // the last line can be read
}

// PutBack is what to do about an archive that is away.
const PutBack = "put it back from a backup"

// archives is the list of archives as the checkpoint holds it: a JSON array. It is parsed only
// where needed, since every lookup reads a checkpoint.
type archives []byte

func (a archives) list() (list []Archive, err error) {
	for item := range jsontext.Elements(a) {
		var one Archive
		for name, value := range jsontext.Members(item) {
			switch name {
			case "name":
				one.Name = jsontext.Unquote(value)
			case "size":
				if one.Size, err = strconv.ParseInt(string(value), 10, 64); err != nil {
					return nil, fmt.Errorf("%w: malformed", state.ErrCheckpoint)
				}
			case "last":
				one.Last = jsontext.Unquote(value)
			case "away":
				one.Away = string(value) == "true"
			}
		}
		list = append(list, one)
	}
	return list, nil
}

func encodeArchives(list []Archive) archives {
	b := []byte{'['}
	for i, a := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(append(b, `{"name":`...), a.Name)
		b = strconv.AppendInt(append(b, `,"size":`...), a.Size, 10)
		b = jsontext.AppendString(append(b, `,"last":`...), a.Last)
		if a.Away {
			b = append(b, `,"away":true`...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// ArchivesOf returns the archives that a checkpoint lists. The error wraps state.ErrCheckpoint.
func ArchivesOf(cp state.Checkpoint) ([]Archive, error) {
	pos, err := parsePosition(cp.Position)
	if err != nil {
		return nil, err
	}
	return pos.archives.list()
}

// Fault returns the fault of an archive as a whole; "" for none. A last line that cannot be read is
// a fault of that line.
func (a Archive) Fault(dir *disk.Dir) (string, error) {
	have, err := archiveAt(dir, a.Name)
	switch {
	case disk.IsNotExist(err):
		return "it is missing", nil
	case err != nil:
		return "", err
	case have.Size < a.Size:
		return fmt.Sprintf("it has %d bytes of %d", have.Size, a.Size), nil
	case have.whole && (have.Size != a.Size || have.Last != a.Last):
		return "it differs from the archived bytes", nil
	}
	return "", nil
}

func archiveAt(dir *disk.Dir, name string) (Archive, error) {
	f, err := dir.Open(name)
	if err != nil {
		return Archive{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Archive{}, err
	}
	a := Archive{Name: name, Size: fi.Size()}
	if a.Last, err = log.LastSum(f, a.Size); err != nil {
		return a, err
	}
	a.whole, err = log.LastWhole(f, a.Size)
	return a, err
}

// archivesForCheckpoint returns the list for a new checkpoint: what the old one lists stays, there
// or not, unless git may have taken it, and what has come since is added. anew says that the state
// was folded from all of them: those that are not at hand are away from then on, until it is folded
// anew with them.
func (s Files) archivesForCheckpoint(anew bool) (archives, error) {
	dir := s.Dir
	list, err := checkpointArchives(dir)
	if err != nil {
		return nil, err
	}
	if s.Shared {
		list = nil
	}
	for i, a := range list {
		if !anew {
			break
		}
		fault, err := a.Fault(dir)
		if err = disk.Ignore(err, disk.ErrIrregular); err != nil {
			return nil, err
		}
		list[i].Away = fault != ""
	}
	names, err := unlisted(dir, list)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		a, err := archiveAt(dir, name)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return encodeArchives(list), nil
}

// checkpointArchives returns what the checkpoint lists; nothing where there is no valid one.
func checkpointArchives(dir *disk.Dir) ([]Archive, error) {
	cp, err := state.ReadCheckpoint(dir)
	if err != nil {
		return nil, disk.Ignore(disk.Ignore(err, state.ErrCheckpoint), disk.ErrIrregular)
	}
	list, err := ArchivesOf(cp)
	return list, disk.Ignore(err, state.ErrCheckpoint)
}

// NotFolded reports whether there are archives at hand that the state was not folded from: it was
// made while they were away, or they were put there since.
func NotFolded(dir *disk.Dir) (bool, error) {
	list, err := checkpointArchives(dir)
	if err != nil || len(list) == 0 {
		return false, err
	}
	for _, a := range list {
		if !a.Away {
			continue
		}
		fault, err := a.Fault(dir)
		if err = disk.Ignore(err, disk.ErrIrregular); err != nil || fault == "" {
			return err == nil, err
		}
	}
	names, err := unlisted(dir, list)
	return len(names) > 0, err
}

// unlisted returns the names of the archives at hand that are not in a list.
func unlisted(dir *disk.Dir, list []Archive) ([]string, error) {
	listed := namesOf(list)
	names, err := log.Archives(dir)
	return slices.DeleteFunc(names, func(name string) bool { return listed[name] }), err
}

// ListedNames returns the names of the archives that the checkpoint lists.
func ListedNames(dir *disk.Dir) (map[string]bool, error) {
	list, err := checkpointArchives(dir)
	return namesOf(list), err
}

func namesOf(list []Archive) map[string]bool {
	names := make(map[string]bool, len(list))
	for _, a := range list {
		names[a.Name] = true
	}
	return names
}

// ArchiveFaults says which archives are not as the checkpoint lists them. An apparent fault is
// looked at again: a purge takes the archives that it replaces out of the list first.
func ArchiveFaults(dir *disk.Dir) (faults []string, err error) {
	for try := 0; try == 0 || len(faults) > 0 && try <= retries; try++ {
		list, err := checkpointArchives(dir)
		if err != nil {
			return nil, err
		}
		faults = nil
		for _, a := range list {
			fault, err := a.Fault(dir)
			if err != nil {
				return nil, disk.Ignore(err, disk.ErrIrregular)
			}
			if fault != "" {
				faults = append(faults, a.Name+": "+fault)
			}
		}
	}
	return faults, nil
}

// Unlist takes archives that are about to be rewritten out of the checkpoint; the next state lists
// them anew. A crash after it leaves archives that the checkpoint does not list; the next one does.
func Unlist(dir *disk.Dir, names []string) error {
	cp, err := state.ReadCheckpoint(dir)
	if err != nil {
		return disk.Ignore(err, state.ErrCheckpoint)
	}
	pos, err := parsePosition(cp.Position)
	if err != nil {
		return nil
	}
	list, err := pos.archives.list()
	if err != nil {
		return nil
	}
	pos.archives = encodeArchives(slices.DeleteFunc(list,
		func(a Archive) bool { return slices.Contains(names, a.Name) }))
	cp.Position = pos.encode()
	return state.WriteCheckpoint(dir, cp)
}
