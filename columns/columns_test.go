package columns

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var stateSum = strings.Repeat("ab", 32)

func record(key, content string, ts log.Stamp) log.Record {
	e := log.Envelope{Key: keypath.MustParse(key), TS: ts, Source: []byte(`"s"`), Content: []byte(content)}
	return log.Record{Envelope: e, Line: e.Line()}
}

// sidecar writes the columns of some records and gives the root and the file.
func sidecar(t testing.TB, records ...log.Record) (*disk.Dir, string) {
	t.Helper()
	path := t.TempDir()
	root, err := disk.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := NewBuilder()
	for _, r := range records {
		b.Add(r)
	}
	if err := b.Write(root, 1000, stateSum); err != nil {
		t.Fatal(err)
	}
	return root, filepath.Join(path, Dir, File)
}

var some = []log.Record{
	record("/a", `{"type":"decision","tags":["go","a\"b\n,]"],"importance":7,"expired_at":"2026-02-22T10:00:00Z"}`, 5),
	record("/b", `7`, -1),
	record("/c", `{"type":"decision","importance":0.1}`, 9),
}

func TestRowsSayWhatTheLinesSay(t *testing.T) {
	root, _ := sidecar(t, some...)
	table, err := Open(root, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if table.Len() != len(some) {
		t.Fatalf("%d rows", table.Len())
	}
	offset := int64(0)
	for i, r := range some {
		row, f := table.Row(i), log.ParseFields(r.Content)
		if row.TS != r.TS || row.Offset != offset || row.Length != len(r.Line) || row.Hash != Hash(r.Key.String()) {
			t.Errorf("row %d: %+v", i, row)
		}
		if row.Importance != f.Importance || row.HasExpiry != f.HasExpiry || f.HasExpiry && row.Expires != f.Expires {
			t.Errorf("row %d: %+v, want %+v", i, row, f)
		}
		if table.Type(row) != f.Type || !slices.Equal(table.Tags(row), f.Tags) {
			t.Errorf("row %d: type %q, tags %q", i, table.Type(row), table.Tags(row))
		}
		offset += int64(len(r.Line)) + 1
	}
}

func TestOnlyTheStateItWasWrittenFor(t *testing.T) {
	root, _ := sidecar(t, some...)
	for _, c := range []struct {
		size int64
		sum  string
	}{{999, stateSum}, {1000, strings.Repeat("cd", 32)}, {1000, ""}, {1000, "no hex"}} {
		if _, err := Open(root, c.size, c.sum); !errors.Is(err, ErrStale) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestEveryDamagedByteIsRefused(t *testing.T) {
	root, file := sidecar(t, some...)
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

func refused(t *testing.T, root *disk.Dir, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if table, err := Open(root, 1000, stateSum); !errors.Is(err, ErrStale) {
		table.Close()
		t.Fatalf("%d bytes: %v", len(data), err)
	}
}

// A sidecar whose checksum somebody made right may lie, but leads nobody out of bounds.
func FuzzTable(f *testing.F) {
	_, file := sidecar(f, some...)
	good, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:headerSize])
	f.Fuzz(func(t *testing.T, data []byte) {
		table := &Table{data: data, rows: data[:len(data)/rowSize*rowSize], table: data, types: map[uint32]string{}, tags: map[uint32][]string{}}
		for i := range table.Len() {
			row := table.Row(i)
			table.Type(row)
			table.Tags(row)
		}
		table.check(1000, stateSum)
	})
}
