package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var stateSum = strings.Repeat("ab", 32)

func record(key, content string, ts log.Stamp) log.Record {
	e := log.Envelope{
		Key: keypath.MustParse(key), TS: ts, Source: []byte(`"s"`), Content: []byte(content),
	}
	return log.Record{Envelope: e, Line: e.Line()}
}

// install writes the columns of some records, and returns the root and the path of the file.
func install(t testing.TB, records ...log.Record) (*disk.Dir, string) {
	t.Helper()
	path := t.TempDir()
	root, err := disk.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := newColumnsBuilder(len(records))
	for _, r := range records {
		b.Add(r, content.ParseNaming(r.Content))
	}
	draft, err := b.Draft(root, 1000, stateSum)
	if err == nil {
		err = draft.Install()
	}
	if err != nil {
		t.Fatal(err)
	}
	return root, filepath.Join(path, sidecar.Dir, columnsFormat.File)
}

var some = []log.Record{
	record("/a", `{"type":"decision","tags":["go","a\"b\n,]"],"importance":7,`+
		`"expired_at":"2026-02-22T10:00:00Z"}`, 5),
	record("/b", `7`, -1),
	record("/c", `{"type":"decision","importance":0.1}`, 9),
	record("/d", `{"type":"decision","importance":0.1,"expired_at":"2026-02-22T10:00:01Z"}`, 9),
	record("/e", `{"type":"decision","importance":0.1}`, 11),
	record("/untrusted/f", `{"type":"decision","importance":0.1,`+
		`"expired_at":"2026-02-22T10:00:01Z"}`, 10),
	record("/user/g", `{"type":"decision","importance":0.1,`+
		`"expired_at":"2026-02-22T10:00:00Z"}`, 12),
	record("/agent/ada/core/"+ulid, `{"type":"decision","importance":0.1,`+
		`"expired_at":"2026-02-22T10:00:00Z","created_at":"2026-02-22T09:00:00Z"}`, 13),
	record("/agent/bob/core/"+ulid, `{"type":"decision","importance":0.093,`+
		`"expired_at":"2026-02-22T10:00:01Z"}`, 14),
	record("/h", `{"type":"decision","importance":0.07}`, 15),
	record("/i", `{"type":"decision","importance":0.0625}`, 16),
	record("/j", `{"type":"decision","importance":0.068,"timestamp":1}`, 17),
}

const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

var firstExpiry, _ = log.ParseTime("2026-02-22T10:00:00Z")

// rowsOf returns the rows by the offset of their line, with their band.
func rowsOf(t testing.TB, table *columns) (map[int64]rankRow, map[int64]rankBand) {
	t.Helper()
	rows, bands := map[int64]rankRow{}, map[int64]rankBand{}
	list, err := table.Bands()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		last := log.MaxStamp
		for i := range b.Len {
			row, err := table.Row(b.First + i)
			if err != nil {
				t.Fatal(err)
			}
			if row.Time > last || row.Importance > b.Importance ||
				row.Importance <= b.Importance-0.01 {
				t.Errorf("%+v: %+v after a row of %s", b, row, last)
			}
			last, rows[row.Offset], bands[row.Offset] = row.Time, row, b
		}
	}
	return rows, bands
}

func TestRowsSayWhatTheLinesSay(t *testing.T) {
	root, _ := install(t, some...)
	table, err := openColumns(root, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rows, bands := rowsOf(t, table)
	if len(rows) != len(some) {
		t.Fatalf("%d rows", len(rows))
	}
	offset := int64(0)
	for _, r := range some {
		row, band, f := rows[offset], bands[offset], content.Parse(r.Content)
		if row.TS != r.TS || row.Length != len(r.Line) || row.Hash != hashKey(r.Key) ||
			row.Time != f.Time(r.TS) || band.Realm != r.Key.Realm() {
			t.Errorf("%s: %+v", r.Key, row)
		}
		if row.Importance != f.Importance || band.Type != f.Type || row.HasExpiry != f.HasExpiry ||
			f.HasExpiry && row.Expires != f.Expires {
			t.Errorf("%s: %+v in %+v, want %+v", r.Key, row, band, f)
		}
		if tags, err := table.Tags(row); err != nil || !slices.Equal(tags, f.Tags) {
			t.Errorf("%s: tags %q, %v", r.Key, tags, err)
		}
		if at, err := table.WithHash(row.Hash); err != nil || len(at) != 1 {
			t.Errorf("%s: by its hash %v, %v", r.Key, at, err)
		} else if again, err := table.Row(at[0]); err != nil || again != row {
			t.Errorf("%s: by its hash %+v, %v", r.Key, again, err)
		}
		offset += int64(len(r.Line)) + 1
	}
	for realm, want := range map[keypath.Realm][4]int{
		{Class: keypath.Open}: {0, 0, 1, 2}, {Class: keypath.Quarantined}: {0, 0, 0, 1},
		{Class: keypath.Personal}: {0, 0, 1, 1}, {Class: keypath.Remembered}: {},
		{Class: keypath.Private, Owner: "ada"}: {0, 0, 1, 1},
		{Class: keypath.Private, Owner: "bob"}: {0, 0, 0, 1},
	} {
		for i, now := range []log.Stamp{0, firstExpiry, firstExpiry + 1, log.MaxStamp} {
			n, err := table.Expired(now, func(r keypath.Realm) bool { return r == realm })
			if err != nil || n != want[i] {
				t.Errorf("%d of %+v expired at %s, want %d (%v)", n, realm, now, want[i], err)
			}
		}
	}
	if at, err := table.WithHash(1); len(at) > 0 || err != nil {
		t.Errorf("a hash of no key: %v, %v", at, err)
	}
}

// Sections longer than a block, and rows that lie across its end, read as they were written.
func TestManyRows(t *testing.T) {
	var many []log.Record
	for i := range 2000 {
		content := fmt.Sprintf(`{"type":"t%d","tags":["%d"],"expired_at":"2027-01-01"}`, i%7, i)
		many = append(many, record(fmt.Sprintf("/k/%05d", i), content, log.Stamp(i*37%1000)))
	}
	root, _ := install(t, many...)
	table, err := openColumns(root, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rows, bands := rowsOf(t, table)
	offset := int64(0)
	for i, r := range many {
		row := rows[offset]
		if n, err := table.RowOfLine(i); err != nil {
			t.Fatal(err)
		} else if of, err := table.Row(n); err != nil || of != row {
			t.Fatalf("line %d: %+v, want %+v (%v)", i, of, row, err)
		}
		tags, err := table.Tags(row)
		if err != nil || row.TS != r.TS || row.Hash != hashKey(r.Key) ||
			bands[offset].Type != fmt.Sprintf("t%d", i%7) ||
			!slices.Equal(tags, []string{fmt.Sprint(i)}) {
			t.Fatalf("%s: %+v %q %v", r.Key, row, tags, err)
		}
		if at, err := table.WithHash(row.Hash); err != nil || len(at) != 1 {
			t.Fatalf("%s: by its hash %v, %v", r.Key, at, err)
		}
		offset += int64(len(r.Line)) + 1
	}
}

func TestOnlyTheStateItWasWrittenFor(t *testing.T) {
	root, _ := install(t, some...)
	for _, c := range []struct {
		size int64
		sum  string
	}{{999, stateSum}, {1000, strings.Repeat("cd", 32)}, {1000, ""}, {1000, "no hex"}} {
		if _, err := openColumns(root, c.size, c.sum); !errors.Is(err, errStale) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestEveryDamagedByteIsRefused(t *testing.T) {
	root, file := install(t, some...)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 0x20
		refused(t, root, file, bad)
	}
	for n := range good {
		refused(t, root, file, good[:n])
	}
	refused(t, root, file, append(slices.Clone(good), 0))
}

// refused checks that a damaged sidecar is not opened, or says so as soon as the damaged part is
// asked for.
func refused(t *testing.T, root *disk.Dir, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := openColumns(root, 1000, stateSum)
	if err == nil {
		err = everything(table)
		table.Close()
	}
	if !errors.Is(err, errStale) {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
}

// everything asks for all there is, and returns the first error.
func everything(table *columns) error {
	bands, err := table.Bands()
	errs := []error{err}
	for _, b := range bands {
		for i := range min(b.Len, 100) {
			row, err := table.Row(b.First + i)
			_, err2 := table.Tags(row)
			_, err3 := table.WithHash(row.Hash)
			_, err4 := table.RowOfLine(i)
			_, err5 := table.Naming("a.go")
			errs = append(errs, err, err2, err3, err4, err5)
		}
	}
	_, err = table.Expired(log.MaxStamp, func(keypath.Realm) bool { return true })
	return errors.Join(append(errs, err)...)
}

// A sidecar whose checksums are right may lie, but leads nobody out of bounds.
func FuzzTable(f *testing.F) {
	root, _ := install(f, some...)
	table, err := openColumns(root, 1000, stateSum)
	if err != nil {
		f.Fatal(err)
	}
	defer table.Close()
	var good [columnSections][]byte
	for i := range good {
		if good[i], err = table.file.Part(i, 0, table.file.Size(i)); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(good[0], good[1], good[2], good[3], good[4], good[5], good[6],
		good[7])
	f.Fuzz(func(t *testing.T,
		bands, rows, lines, hashes, names, expiries, groups, strings []byte) {
		draft, err := sidecar.Create(root, columnsFormat, 1000, stateSum, func(
			w *sidecar.Writer) error {
			for _, data := range [...][]byte{
				bands, rows, lines, hashes, names, expiries, groups, strings,
			} {
				w.Section(data)
			}
			return w.Err()
		})
		if err == nil {
			err = draft.Install()
		}
		if err != nil {
			t.Fatal(err)
		}
		if table, err := openColumns(root, 1000, stateSum); err == nil {
			defer table.Close()
			_ = everything(table)
		} else if !errors.Is(err, errStale) {
			t.Fatal(err)
		}
	})
}
