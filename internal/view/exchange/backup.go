package exchange

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/log"
)

// artifacts has the files that artifacts are about.
const artifacts = "artifacts/"

var beside = []string{mem.ConfigFile, backend.InjectionsFile}

// BackupScope is the scope of the backup of one store of a machine: [User], or the directory of a
// project, which stays whatever becomes of its identity.
func BackupScope(machine, store string) string { return places.Backups + machine + "/" + store }

// Backup sends to a depot what it lacks of a store: every line of its history, whatever its class,
// and the files beside them. It takes nothing in.
func Backup(ctx context.Context, c mem.Caller, j Job) (Report, error) {
	x := newExchange(ctx, j)
	x.travels, x.room, x.limit = everything, math.MaxInt, math.MaxInt64
	return x.run(c, policy.Backup, x.fetch, x.survey, x.admit, x.learn, x.send, x.sendFiles,
		x.clean, x.mergeSmall, x.keep)
}

func everything(log.Record) bool { return true }

// learn notes the lines of fetched segments as those that the depot has.
func (x *exchange) learn() error {
	for _, s := range x.fetched {
		for _, e := range s.lines {
			x.seen.lines[e.Identity()] = true
		}
	}
	return nil
}

// fileID identifies a version of a file.
func fileID(name string, data []byte) string {
	sum := sha256.Sum256(data)
	return name + " " + hex.EncodeToString(sum[:])
}

func blobID(sum string) string { return artifacts + sum + " " + sum }

// hold notes a segment that has no lines of a scope, and perhaps a file of it.
func (s *seen) hold(one *segment, scope string) {
	s.segments[one.name] = elsewhere
	if one.Scope == scope {
		s.Files[fileID(one.File, one.data)] = one.name
	}
}

// drop forgets a segment.
func (s *seen) drop(name string) {
	delete(s.segments, name)
	maps.DeleteFunc(s.Files, func(_, segment string) bool { return segment == name })
}

// sendFiles sends the depot the files that it lacks.
func (x *exchange) sendFiles() error {
	dir, err := disk.Open(x.Store.RealPath())
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	names := slices.Clone(beside)
	sums, err := dir.ReadDir(path.Clean(artifacts))
	for _, sum := range sums {
		if x.seen.Files[blobID(sum.Name())] == "" && content.IsBlobSum(sum.Name()) {
			names = append(names, artifacts+sum.Name())
		}
	}
	for _, name := range names {
		data, failed := dir.ReadFile(name, depot.MaxSegment)
		if failed == nil {
			failed = cmp.Or(x.reading.Err(), x.sendFile(name, data))
		}
		if disk.IgnoreNotExist(failed) != nil {
			return failed
		}
	}
	return disk.IgnoreNotExist(err)
}

// sendFile sends the depot a file, in the place of older versions.
func (x *exchange) sendFile(name string, data []byte) (err error) {
	id := fileID(name, data)
	if sum, is := strings.CutPrefix(name, artifacts); is && id != blobID(sum) {
		x.rep.Rejected = append(x.rep.Rejected, Fault{sum, "this artifact is damaged here"})
		return nil
	}
	if x.seen.Files[id] == "" {
		s := &segment{head: head{File: name}, data: data}
		if s.name, err = x.deposit(s); err != nil {
			return err
		}
		x.seen.hold(s, x.Scope)
		x.rep.Files++
	}
	for old := range x.seen.Files {
		if strings.HasPrefix(old, name+" ") && old != id {
			err = cmp.Or(err, x.removeFile(old))
		}
	}
	return err
}

// removeFile removes a version of a file. A crash before leaves it to the next backup, which finds
// it older, or finds the line that a purge has not removed yet.
func (x *exchange) removeFile(id string) error {
	name := x.seen.Files[id]
	if err := x.Place.Remove(name); err != nil {
		return &PlaceError{err}
	}
	x.seen.drop(name)
	return nil
}

// removeFileOf removes the file of an artifact that was purged, unless the store has it: another
// artifact is about it, too.
func (x *exchange) removeFileOf(e log.Envelope) error {
	sum := content.BlobOf(e.Key, e.Content)
	if x.seen.Files[blobID(sum)] == "" {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(x.Store.RealPath(), artifacts, sum)); err == nil {
		return nil
	}
	return x.removeFile(blobID(sum))
}

// Saved is the backup of one store of a machine.
type Saved struct {
	Machine  places.Machine `json:"machine"`
	Store    string         `json:"store"` // [User], or the directory of a project
	Identity string         `json:"identity,omitempty"`
	Lines    int            `json:"lines"`
	Files    int            `json:"-"`
	// Identities are those that the repository has had, the present one last.
	Identities []string `json:"-"`
}

// IsUnused reports whether it is that of a project's store without lines and files, as one that was
// left out of use before anything was written there.
func (s *Saved) IsUnused() bool { return s.Store != User && s.Lines+s.Files == 0 }

// Backups returns the backups at a depot by their machines, and the segments that were not read.
func Backups(ctx context.Context, place Place, key Key) ([]*Saved, []Fault, error) {
	x := newExchange(ctx, Job{Place: place, Key: key})
	x.limit = math.MaxInt64
	found := map[string]*Saved{}
	x.onSegment = func(s *segment) {
		machine, store, _ := strings.Cut(strings.TrimPrefix(s.Scope, places.Backups), "/")
		at, err := log.ParseTime(s.At)
		if err != nil || !places.IsBackup(s.Scope) {
			return
		}
		one := cmp.Or(found[s.Scope], &Saved{Store: store})
		if at >= one.Machine.At {
			one.Machine = places.Machine{ID: machine, Name: s.Name, At: at}
			one.Identity, one.Identities = s.Identity, s.Identities
		}
		one.Lines += len(s.lines)
		if s.File != "" {
			one.Files++
		}
		found[s.Scope] = one
	}
	err := x.fetch()
	var list []*Saved
	for _, scope := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[scope])
	}
	return list, x.rep.Rejected, err
}

// MissingError names a line that a store has not got after it was restored.
type MissingError struct{ error }

// Kind returns the kind of the error, as package mem has them.
func (*MissingError) Kind() string { return string(mem.KindIO) }

// Restore brings the backup of a store into one by union, and reads each line back. What either has
// purged does not come back. The error is a *MissingError where a line is not there afterwards.
func Restore(ctx context.Context, c mem.Caller, j Job) (Report, error) {
	j.SeenFile = "" // the file of a machine says what a depot has, and not what it is to bring
	x := newExchange(ctx, j)
	x.travels, x.limit, x.named = everything, math.MaxInt64, map[string]bool{}
	x.room = math.MaxInt // each line is read back
	return x.run(c, policy.Recover, x.fetch, x.letter, x.survey, x.admit, x.look, x.fold,
		x.purge, x.verify, x.bringFiles)
}

// letter replaces plain ids of notes of the backup by ids with letters, also where memories refer
// to them: so the mark of their purge meets them, and a copy of them on another machine.
func (x *exchange) letter() error {
	versions := lettering.Versions{}
	for _, s := range x.fetched {
		for _, e := range s.lines {
			versions.Add(e)
		}
	}
	names, err := lettering.Of(versions)
	if err != nil || len(versions) == 0 {
		return err
	}
	for _, s := range x.fetched {
		for i, was := range s.lines {
			s.lines[i] = names.Line(was)
		}
	}
	return nil
}

// verify reads every line of the backup back from the history.
func (x *exchange) verify() error {
	missing := map[log.Identity]log.Envelope{}
	for _, s := range x.fetched {
		for _, e := range s.lines {
			if !x.isPurged(e) {
				missing[e.Identity()] = e
			}
		}
	}
	x.rep.Lines = len(missing)
	err := x.Store.Everything(x.ctx, func(rec log.Record) error {
		delete(missing, rec.Identity())
		x.named[content.BlobOf(rec.Key, rec.Content)] = true
		return nil
	})
	for _, e := range missing {
		return cmp.Or(err, error(&MissingError{fmt.Errorf("%d lines of the backup are not in the "+
			"store, as that of %s at %s", len(missing), e.Key.Shown(), e.TS)}))
	}
	return err
}

// bringFiles puts the files in their places where there are none.
func (x *exchange) bringFiles() error {
	dir, err := disk.Create(x.Store.RealPath())
	if err != nil {
		return err
	}
	defer dir.Close()
	for id, segment := range x.seen.Files {
		name, sum, _ := strings.Cut(id, " ")
		isBlob := id == blobID(sum) && x.named[sum]
		if _, err := dir.Lstat(name); err == nil || !isBlob && !slices.Contains(beside, name) {
			continue
		}
		s, err := x.open(segment)
		if err == nil && isBlob {
			_, err = x.Store.PutBlob(x.ctx, bytes.NewReader(s.data), depot.MaxSegment)
		} else if err == nil {
			// A crash within leaves no file, or the whole one.
			err = dir.WriteBytesSync(name, s.data)
		}
		if err != nil {
			return err
		}
		x.rep.Files++
	}
	return nil
}
