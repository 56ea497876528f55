package exchange_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// saving is an exchange of a machine with a depot, in the scope of the backup of another one.
func (f *fleet) saving(m *machine, path, of string) exchange.Job {
	f.t.Helper()
	d, err := depot.OpenFolder(path)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { d.Close() })
	return exchange.Job{Store: m.Store.Store, Place: d, Key: f.key,
		Scope:   exchange.BackupScope(of, exchange.User),
		Machine: places.Machine{ID: m.id, Name: "m"}, Clock: func() time.Time { return m.Clock },
		SeenFile: filepath.Join(m.state, filepath.Base(filepath.Dir(path))+"-backup")}
}

func (f *fleet) tryBackup(m *machine, path string) (exchange.Report, error) {
	return exchange.Backup(ctx, mem.Caller{}, f.saving(m, path, m.id))
}

func (f *fleet) backup(m *machine, path string) exchange.Report {
	f.t.Helper()
	rep, err := f.tryBackup(m, path)
	m.Must(err)
	return rep
}

func (f *fleet) restore(m *machine, path, of string) exchange.Report {
	f.t.Helper()
	rep, err := exchange.Restore(ctx, mem.Caller{}, f.saving(m, path, of))
	m.Must(err)
	return rep
}

// lines returns every line that a machine has had.
func (m *machine) lines() (list []string) {
	m.T.Helper()
	m.Must(m.Everything(ctx, func(rec log.Record) error {
		list = append(list, string(rec.Envelope.Line()))
		return nil
	}))
	slices.Sort(list)
	return slices.Compact(list)
}

// alive returns the lines of the live memories, of all agents.
func (m *machine) alive() (list []string) {
	m.T.Helper()
	m.Must(m.List(ctx, mem.Caller{}, mem.Filter{All: true, Expired: true},
		func(rec log.Record) error {
			list = append(list, string(rec.Envelope.Line()))
			return nil
		}))
	slices.Sort(list)
	return list
}

// fold stores lines as they are, of any class.
func (m *machine) fold(lines ...log.Envelope) {
	m.T.Helper()
	op, err := m.Begin(mem.Caller{}, policy.Sync)
	m.Must(err)
	m.Must(op.MergeLines(ctx, lines))
}

func line(key, content string, ts log.Stamp) log.Envelope {
	return log.Envelope{Key: keypath.MustParse(key), TS: ts, Source: []byte(`"chat"`),
		Content: []byte(content)}
}

const anID = "01JQ8ZV5Y3M4N6P7R8S9000001"

// artifact stores an artifact with its file, and returns the name of that.
func (m *machine) artifact(text string) (file string) {
	m.T.Helper()
	blob, err := m.PutBlob(ctx, strings.NewReader(text), 1<<20)
	m.Must(err)
	m.fold(line("/artifact/art_"+anID, `{"sha256":"`+blob.Sum+`"}`, log.StampOf(m.Clock)))
	return "artifacts/" + blob.Sum
}

// seedAll fills a machine with a record of every class, and with what else a store has.
func (m *machine) seedAll() (file string) {
	m.T.Helper()
	m.Dirty = true // a test may add a line of the future; sameAs compares what fsck says
	now := log.StampOf(m.Clock)
	for i, key := range []string{"/k/open", "/untrusted/k/waits", "/user/style",
		"/note/session/s1/1", "/agent/ada/journal/" + anID, "/agent/ada/core/" + anID,
		"/session/s1/mem_" + anID, "/session/s1", "/event/s1/evt_" + anID, "/handoff/s1/ada",
		"/memories/a", "/note/user/1"} {
		m.fold(line(key, fmt.Sprintf(`{"text":"of class %d"}`, i), now+log.Stamp(i)))
	}
	m.fold(line("/k/sealed", `{"sealed":"AAAA","sensitivity":"high"}`, now),
		line("/k/expired", `{"text":"old","expires":"2020-01-01T00:00:00Z"}`, now),
		line("/k/changed", `"first"`, now), line("/k/changed", `"second"`, now+1),
		line("/k/gone", `"gone"`, now), line("/k/gone", `null`, now+1))
	file = m.artifact("the bytes of an artifact")
	m.Configure(`{"auto_compact":false}`)
	m.Must(os.WriteFile(m.File(backend.InjectionsFile), []byte("{\"at\":\"x\"}\n"), 0o600))
	return file
}

// sameAs holds a restored machine against the one that was backed up.
func (f *fleet) sameAs(got, want *machine) {
	f.t.Helper()
	if !slices.Equal(got.lines(), want.lines()) {
		f.t.Errorf("the history is\n%q, want\n%q", got.lines(), want.lines())
	}
	if !slices.Equal(got.alive(), want.alive()) {
		f.t.Errorf("live are\n%q, want\n%q", got.alive(), want.alive())
	}
	got.Dirty = true
	if a, b := got.found(), want.found(); !slices.Equal(a, b) {
		f.t.Errorf("fsck says\n%q, want\n%q", a, b)
	}
	files, err := filepath.Glob(want.File("artifacts/*"))
	want.Must(err)
	for _, path := range append(files, want.File("config.json"), want.File("injections.jsonl")) {
		name, _ := filepath.Rel(want.Root, path)
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		want.Must(err)
		have, err := os.ReadFile(got.File(name))
		if err != nil || !bytes.Equal(have, text) {
			f.t.Errorf("%s: %q, want %q: %v", name, have, text, err)
		}
	}
}

func (m *machine) found() (list []string) {
	m.T.Helper()
	rep, err := m.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	m.Must(err)
	for _, one := range rep.Found {
		text, _, _ := strings.Cut(fmt.Sprint(one), "log.jsonl:")
		list = append(list, text)
	}
	return list
}

// A backup holds every line of whatever class, with the files beside them; a second one sends
// nothing, and to restore it twice changes nothing.
func TestBackupBringsAllBack(t *testing.T) {
	f := newFleet(t, 2, 1)
	one, other, path := f.machines[0], f.machines[1], f.depots[0]
	file := one.seedAll()
	one.fold(line("/k/later", `"of a clock ahead"`,
		log.StampOf(one.Clock.Add(90*24*time.Hour))))
	first := f.backup(one, path)
	if n := len(one.lines()); first.Sent != n || first.Files != 3 {
		t.Errorf("%+v, want %d lines and 3 files", first, n)
	}
	names, _ := filepath.Glob(filepath.Join(path, "??", "*"))
	if again := f.backup(one, path); again.Sent+again.Files != 0 || again.Bytes != 0 {
		t.Errorf("a second backup sends %+v", again)
	}
	if now, _ := filepath.Glob(filepath.Join(path, "??", "*")); !slices.Equal(now, names) {
		t.Errorf("the depot has %q, and had %q", now, names)
	}
	for _, text := range []string{"of class", "the bytes", "auto_compact"} {
		if in := finds(path, text); in != "" {
			t.Errorf("%q is in %s", text, in)
		}
	}
	rep := f.restore(other, path, one.id)
	if n := len(one.lines()); rep.Lines != n || rep.Received != n || rep.Files != 3 {
		t.Errorf("%+v, want %d lines and 3 files", rep, n)
	}
	f.sameAs(other, one)
	if finds(other.Root, "the bytes of an artifact") != other.File(file) {
		t.Error("the artifact is not where it was")
	}
	before := tree(t, other.Root)
	if rep := f.restore(other, path, one.id); rep.Received+rep.Files+rep.Purged != 0 {
		t.Errorf("to restore it again brings %+v", rep)
	}
	if now := tree(t, other.Root); !maps.Equal(now, before) {
		t.Errorf("to restore it again changes\n%q to\n%q", before, now)
	}
}

// tree returns the files below a directory, but for the journal of operations.
func tree(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != backend.OpsFile {
			text, err := os.ReadFile(path)
			files[path] = fmt.Sprintf("%x", sha256.Sum256(text))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What changed goes along with the next backup, also where this machine has lost what it knew of
// the depot; an older version of a file is removed.
func TestBackupIsIncremental(t *testing.T) {
	f := newFleet(t, 2, 1)
	one, other, path := f.machines[0], f.machines[1], f.depots[0]
	one.seedAll()
	f.backup(one, path)
	one.Clock = one.Clock.Add(time.Second)
	one.Put("/k/new", `"new"`)
	one.Configure(`{"auto_compact":true}`)
	if rep := f.backup(one, path); rep.Sent != 1 || rep.Files != 1 {
		t.Errorf("%+v, want one line and one file", rep)
	}
	os.RemoveAll(one.state)
	if rep := f.backup(one, path); rep.Sent+rep.Files != 0 {
		t.Errorf("without its file it sends %+v", rep)
	}
	names, _ := filepath.Glob(filepath.Join(path, "??", "*"))
	if len(names) != 2+3+1 { // an empty one says that the machine takes part
		t.Errorf("%d segments", len(names))
	}
	f.restore(other, path, one.id)
	f.sameAs(other, one)
	// The machine itself gets back what it has lost.
	one.Must(os.RemoveAll(one.Root))
	one.Must(one.Close())
	one.Open()
	if rep := f.restore(one, path, one.id); rep.Received != len(other.lines()) {
		t.Errorf("%+v", rep)
	}
	f.sameAs(one, other)
	// A segment that somebody removed is sent again.
	for _, name := range names {
		os.Remove(name)
	}
	if rep := f.backup(one, path); rep.Sent != len(one.lines()) || rep.Files != 3 {
		t.Errorf("an empty depot gets %+v", rep)
	}
}

// A purge takes its text out of the backup, with the file of an artifact; an old backup does not
// bring it back to a store that has purged it.
func TestBackupAndPurge(t *testing.T) {
	f := newFleet(t, 3, 2)
	one, other, path, old := f.machines[0], f.machines[1], f.depots[0], f.depots[1]
	file := one.seedAll()
	f.backup(one, path)
	f.backup(one, old)
	one.Clock = one.Clock.Add(time.Minute)
	for _, key := range []string{"/k/changed", "/artifact/art_" + anID,
		"/agent/ada/journal/" + anID} {
		_, err := one.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
			Keys: []keypath.Key{keypath.MustParse(key)}})
		one.Must(err)
	}
	if rep := f.backup(one, path); rep.Sent != 3 || rep.Cleaned == 0 {
		t.Errorf("%+v, want three marks and cleaned segments", rep)
	}
	f.restore(other, path, one.id)
	f.sameAs(other, one)
	for _, m := range []*machine{one, other} {
		for range 2 {
			if in := m.holds("second", "the bytes", "of class 4"); in != "" {
				t.Errorf("a purged text is in %s", in)
			}
			f.restore(m, old, one.id)
		}
	}
	// In a new store the old backup has it, until the new one comes.
	third := f.machines[2]
	f.restore(third, old, one.id)
	if _, err := os.Stat(third.File(file)); err != nil {
		t.Error(err)
	}
	f.restore(third, path, one.id)
	if in := third.holds("second", "the bytes", "of class 4"); in != "" {
		t.Errorf("a purged text is in %s", in)
	}
	f.sameAs(third, one)
	if n := f.segments(path); n != 4 { // the lines, the marks, config.json and injections.jsonl
		t.Errorf("%d segments", n)
	}
}

// Two artifacts may be about one file, which stays until both are purged. One that is damaged is
// named, and left out.
func TestBackupOfArtifacts(t *testing.T) {
	f := newFleet(t, 2, 1)
	one, other, path := f.machines[0], f.machines[1], f.depots[0]
	file := one.artifact("the bytes")
	second := strings.TrimSuffix(anID, "1") + "2"
	one.fold(line("/artifact/art_"+second, `{"sha256":"`+filepath.Base(file)+`"}`,
		log.StampOf(one.Clock)))
	f.backup(one, path)
	one.Clock = one.Clock.Add(time.Minute)
	_, err := one.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keypath.MustParse("/artifact/art_" + anID)}})
	one.Must(err)
	if rep := f.backup(one, path); rep.Cleaned != 1 || rep.Files != 0 {
		t.Errorf("%+v", rep)
	}
	f.restore(other, path, one.id)
	f.sameAs(other, one)
	if in := other.holds("the bytes"); in != other.File(file) {
		t.Errorf("the file is in %q", in)
	}
	one.Dirty = true
	name := one.artifact("other bytes")
	one.Must(os.WriteFile(one.File(name), []byte("damaged"), 0o600))
	if rep := f.backup(one, path); rep.Files != 0 || len(rep.Rejected) != 1 ||
		rep.Rejected[0].Segment != filepath.Base(name) {
		t.Errorf("%+v", rep)
	}
}

func (m *machine) holds(texts ...string) (in string) {
	for _, text := range texts {
		if in = finds(m.Root, text); in != "" {
			return in
		}
	}
	return ""
}

func (f *fleet) segments(path string) int {
	names, _ := filepath.Glob(filepath.Join(path, "??", "*"))
	return len(names)
}

// A backup and a restore that are killed at any change of the disk go on.
func TestBackupKilled(t *testing.T) {
	done := false
	for n := 1; !done; n++ {
		f := newFleet(t, 2, 1)
		one, other, path := f.machines[0], f.machines[1], f.depots[0]
		one.seedAll()
		f.backup(one, path)
		one.Clock = one.Clock.Add(time.Minute)
		one.Configure(`{"auto_compact":true}`)
		one.Put("/k/new", `"new"`)
		_, err := one.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
			Keys: []keypath.Key{keypath.MustParse("/artifact/art_" + anID)}})
		one.Must(err)
		var backupErr, restoreErr error
		killed(n, func() { _, backupErr = f.tryBackup(one, path) })
		f.backup(one, path)
		killed(n, func() {
			_, restoreErr = exchange.Restore(ctx, mem.Caller{}, f.saving(other, path, one.id))
		})
		f.restore(other, path, one.id)
		for _, m := range f.machines { // a writer heals what a killed one left
			m.fold(line("/own", "1", log.StampOf(one.Clock)))
		}
		f.sameAs(other, one)
		if in := other.holds("the bytes"); in != "" {
			t.Errorf("a purged text is in %s", in)
		}
		if n := f.segments(path); n > 4+1 { // lines may be in two
			t.Errorf("%d segments are left", n)
		}
		done = backupErr == nil && restoreErr == nil || n > 500
		if done {
			t.Logf("%d calls", n)
		}
	}
}

// Two machines give one depot their backups, beside what they exchange there: no exchange takes a
// backup in, or reads it twice.
func TestBackupsBesideAnExchange(t *testing.T) {
	f := newFleet(t, 3, 1)
	one, two, path := f.machines[0], f.machines[1], f.depots[0]
	one.seedAll()
	two.Put("/k/two", `"two"`)
	own := two.lines()
	f.backup(one, path)
	f.backup(two, path)
	rep, err := f.sync(two, path)
	two.Must(err)
	if rep.Received != 0 || len(rep.Scopes) != 0 || len(rep.Rejected) != 0 {
		t.Errorf("%+v", rep)
	}
	if !slices.Equal(two.lines(), own) {
		t.Error("an exchange took in a backup")
	}
	one.Clock = one.Clock.Add(time.Minute)
	_, err = one.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keypath.MustParse("/k/changed")}})
	one.Must(err)
	if rep := f.backup(one, path); rep.Cleaned != 1 {
		t.Errorf("%+v", rep)
	}
	counted := f.counting(two, path)
	rep, err = exchange.Run(ctx, mem.Caller{}, counted.job)
	two.Must(err)
	if counted.gets != 2 || rep.Sent+rep.Received != 0 { // the mark, and the rest of a segment
		t.Errorf("%d segments read, %+v", counted.gets, rep)
	}
	if past := places.Past(pastOf(counted.job.SeenFile)); len(past.Machines) != 0 {
		t.Errorf("it has met %v", past.Machines)
	}
	d := f.saving(two, path, "").Place
	kept, rejected, err := exchange.Backups(ctx, d, f.key)
	if err != nil || len(rejected) != 0 || len(kept) != 2 || kept[0].Machine.ID != one.id ||
		kept[0].Store != exchange.User || kept[0].Lines != len(one.lines()) || kept[1].Lines != 1 {
		t.Errorf("%v %v %v", kept, rejected, err)
	}
	third := f.machines[2]
	f.restore(third, path, two.id)
	f.sameAs(third, two)
	f.settleWithout(one)
}

// counter counts the segments that are read.
type counter struct {
	exchange.Place
	job  exchange.Job
	gets int
}

func (c *counter) Get(name string) ([]byte, error) {
	c.gets++
	return c.Place.Get(name)
}

func (f *fleet) counting(m *machine, path string) *counter {
	c := &counter{job: f.saving(m, path, m.id)}
	c.Place, c.job.Scope = c.job.Place, exchange.User
	c.job.Place, c.job.SeenFile = c, filepath.Join(m.state, filepath.Base(filepath.Dir(path)))
	return c
}

func pastOf(path string) (past places.Past) {
	text, _ := os.ReadFile(path)
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	json.Unmarshal(first, &past)
	return past
}

// settleWithout exchanges all but one machine.
func (f *fleet) settleWithout(m *machine) {
	f.machines = slices.DeleteFunc(f.machines, func(one *machine) bool { return one == m })
	f.settle()
}

// A line that is not in the store after all is an error that names it.
func TestRestoreReadsEveryLineBack(t *testing.T) {
	f := newFleet(t, 2, 1)
	one, other, path := f.machines[0], f.machines[1], f.depots[0]
	one.Put("/k/a", `"a"`)
	one.Put("/k/b", `"b"`)
	f.backup(one, path)
	other.Dirty = true
	lossy, err := mem.Open(other.Root, mem.Options{OnStored: func([]log.Envelope) {
		text, err := os.ReadFile(other.File(log.File))
		other.Must(err)
		first, _, _ := bytes.Cut(text, []byte{'\n'})
		other.Must(os.WriteFile(other.File(log.File), append(first, '\n'), 0o600))
	}})
	other.Must(err)
	defer lossy.Close()
	j := f.saving(other, path, one.id)
	j.Store = lossy
	_, err = exchange.Restore(ctx, mem.Caller{}, j)
	var missing *exchange.MissingError
	if !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), "1 ") ||
		mem.KindOf(err).ExitCode() != 6 || !strings.Contains(err.Error(), "/k/b") {
		t.Errorf("%v", err)
	}
}

// The artifact of the greatest size fits, whatever its bytes.
func TestBackupOfALargeArtifact(t *testing.T) {
	f := newFleet(t, 2, 1)
	one, other, path := f.machines[0], f.machines[1], f.depots[0]
	large := make([]byte, 64<<20)
	rand.NewChaCha8([32]byte{}).Read(large)
	blob, err := one.PutBlob(ctx, bytes.NewReader(large), int64(len(large)))
	one.Must(err)
	one.fold(line("/artifact/art_"+anID, `{"sha256":"`+blob.Sum+`"}`,
		log.StampOf(one.Clock)))
	f.backup(one, path)
	f.restore(other, path, one.id)
	f.sameAs(other, one)
}
