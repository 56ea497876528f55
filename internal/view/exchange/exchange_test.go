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
		FutureFile: filepath.Join(m.state, "late"),
		SeenFile:   filepath.Join(m.state, filepath.Base(filepath.Dir(path)))}
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

// keys returns the keys of the live memories.
func (m *machine) keys() (keys []keypath.Key) {
	m.Must(m.List(ctx, mem.Caller{}, mem.Filter{All: true}, func(rec log.Record) error {
		keys = append(keys, rec.Key)
		return nil
	}))
	return keys
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
