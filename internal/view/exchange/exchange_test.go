package exchange_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// machine is one of a person's machines.
type machine struct {
	*storetest.Store
	id    string
	state string // the directory of its files
}

// fleet is the machines of a person and the depots between them.
type fleet struct {
	t        testing.TB
	key      parcel.Key
	machines []*machine
	depots   []string
}

func newFleet(t testing.TB, machines, depots int) *fleet {
	f := &fleet{t: t, key: parcel.New()}
	for i := range machines {
		m := &machine{Store: storetest.NewStore(t, storetest.Files), id: fmt.Sprintf("%032x", i+1),
			state: storetest.Dir(t)}
		m.Clock = m.Clock.Add(time.Duration(i*5-12) * time.Hour) // clocks are off
		f.machines = append(f.machines, m)
	}
	for range depots {
		path := filepath.Join(storetest.Dir(t), "depot")
		info, err := depot.NewInfo(func(string) ([]byte, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		d, err := depot.MakeFolder(path, info)
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		f.depots = append(f.depots, path)
	}
	return f
}

// tied is a test whose faults are those of a case of it, as long as that runs.
type tied struct {
	testing.TB
	to interface {
		Fatal(...any)
		Fatalf(string, ...any)
		Error(...any)
		Errorf(string, ...any)
	}
}

func (t *tied) Fatal(args ...any)                 { t.to.Fatal(args...) }
func (t *tied) Fatalf(format string, args ...any) { t.to.Fatalf(format, args...) }
func (t *tied) Error(args ...any)                 { t.to.Error(args...) }
func (t *tied) Errorf(format string, args ...any) { t.to.Errorf(format, args...) }

// sync exchanges the memory of a machine with a depot.
func (f *fleet) sync(m *machine, path string) (exchange.Report, error) {
	d, err := depot.OpenFolder(path)
	if err != nil {
		return exchange.Report{}, err
	}
	defer d.Close()
	return exchange.Run(ctx, mem.Caller{}, f.job(m, d, path))
}

// with is sync for a machine whose exchange fails in no way.
func (f *fleet) with(m *machine, path string) exchange.Report {
	f.t.Helper()
	rep, err := f.sync(m, path)
	if err != nil {
		f.t.Fatal(err)
	}
	return rep
}

// job is the exchange of the memory of a machine with the depot at a path.
func (f *fleet) job(m *machine, d exchange.Place, path string) exchange.Job {
	return exchange.Job{Store: m.Store.Store, Scope: exchange.User, Place: d, Key: f.key,
		Machine: places.Machine{ID: m.id}, Clock: func() time.Time { return m.Clock },
		Future: filepath.Join(m.state, "late"),
		Seen:   filepath.Join(m.state, filepath.Base(filepath.Dir(path)))}
}

// settle exchanges until all machines have exchanged with all depots, and nothing was sent.
func (f *fleet) settle() {
	for round := range 12 {
		moved := 0
		for _, m := range f.machines {
			for _, path := range f.depots {
				rep, err := f.sync(m, path)
				if err != nil {
					f.t.Fatal(err)
				}
				if len(rep.Rejected)+len(rep.Waiting)+len(rep.Remains) > 0 {
					f.t.Errorf("%+v", rep)
				}
				moved += rep.Sent + rep.Received + rep.Purged + rep.Cleaned
			}
		}
		if moved == 0 && round > 0 {
			return
		}
	}
	f.t.Fatal("the exchanges never end")
}

// history returns the lines that a machine has had, without those that stay there.
func (m *machine) history() map[string]bool {
	m.T.Helper()
	lines := map[string]bool{}
	m.Must(m.Everything(ctx, func(rec log.Record) error {
		if mem.Travels(rec) {
			lines[string(rec.Envelope.Line())] = true
		}
		return nil
	}))
	return lines
}

// keys returns the keys of the live memories.
func (m *machine) keys() (keys []keypath.Key) {
	m.Must(m.List(ctx, mem.Caller{}, mem.Filter{All: true}, func(rec log.Record) error {
		keys = append(keys, rec.Key)
		return nil
	}))
	return keys
}

// versions returns the lines that a key has had, without deletions.
func (m *machine) versions(key keypath.Key) (lines []string) {
	m.Must(m.Everything(ctx, func(rec log.Record) error {
		if rec.Key == key && rec.Valid() {
			lines = append(lines, string(rec.Envelope.Line()))
		}
		return nil
	}))
	return lines
}

// unsealed returns the plain text of each segment at a depot.
func (f *fleet) unsealed(path string) map[string]string {
	d, err := depot.OpenFolder(path)
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close()
	names, err := d.List()
	if err != nil {
		f.t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range names {
		sealed, err := d.Get(name)
		if err != nil {
			f.t.Fatal(err)
		}
		texts[name] = f.open(d.Info().ID, sealed)
	}
	return texts
}

// open returns the plain text of a segment.
func (f *fleet) open(id string, sealed []byte) string {
	plain, err := f.key.Open(id, sealed)
	if err != nil {
		f.t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(plain))
	if err != nil {
		f.t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

// finds reports whether a text is in a file below a directory.
func finds(dir, text string) (in string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), text) {
				in = path
			}
		}
		return nil
	})
	return in
}

var errKilled = errors.New("killed")

// killed runs fn, of which every change of the disk fails from the n-th on, and reports whether one
// did.
func killed(n int, fn func()) bool {
	count := 0
	disk.SetHook(func(op disk.Op, _ string) error {
		if op.Mutates() {
			if count++; count >= n {
				return errKilled
			}
		}
		return nil
	})
	defer disk.SetHook(nil)
	fn()
	return count >= n
}

const conflicted = " (conflicted copy)"

// conflict copies a segment of a depot, as a program does that brings folders together.
func (f *fleet) conflict(path string) error {
	for file, data := range segments(f.t, path) {
		if !strings.HasSuffix(file, conflicted) {
			return os.WriteFile(file+conflicted, data, 0o600)
		}
	}
	return nil
}

// checkCopies looks whether the copies of segments at a depot, and no segments, are named as files
// that may hold a purged text.
func (f *fleet) checkCopies(path string) {
	d, err := depot.OpenFolder(path)
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close()
	remains, err := d.Remains([]byte(parcel.Magic))
	if err != nil {
		f.t.Error(err)
	}
	for file := range segments(f.t, path) {
		named := slices.ContainsFunc(remains, func(r depot.Remain) bool { return r.Path == file })
		if named != strings.HasSuffix(file, conflicted) {
			f.t.Errorf("%s is named: %v", file, named)
		}
	}
}
