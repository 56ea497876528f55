package fts

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// written gives the bytes of a sidecar of n records, and the root that it is in.
func written(t testing.TB, seed uint64, n int) (*disk.Dir, []byte) {
	t.Helper()
	root, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := NewBuilder(root)
	for _, r := range recordsOf(world{rand.New(rand.NewPCG(seed, 2))}.records(n)) {
		b.Add(r)
	}
	if err := b.Write(1000, stateSum); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root.Path(), Dir, File))
	if err != nil {
		t.Fatal(err)
	}
	return root, data
}

// opened takes bytes for a sidecar.
func opened(data []byte) (*Index, error) {
	ix := &Index{data: data, unmap: func() error { return nil }}
	return ix, ix.check(1000, stateSum)
}

// everyRow is a query that touches all there is of words.
func everything(t testing.TB, ix *Index) error {
	for _, text := range []string{"dentist running config* anna", "牙科复诊 may 7 2026 key:/a/b", "tag:sec", `"anna ran" -photo 2026-02-23`} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		tail := NewTail()
		tail.Add(record("/a/b/m7", `{"text":"dentist?"}`, 5))
		tail.Add(record("/zz", `null`, 6))
		load := func(int) (log.Record, error) { return record("/x", `"Anna ran"`, 1), nil }
		res, err := Search(ix, tail, q, Options{Limit: 5, Load: load})
		if err != nil {
			return err
		}
		for i := range res.Hits {
			if _, err := res.Explain(i); err != nil {
				return err
			}
		}
		if _, err := res.Relevant(); err != nil {
			return err
		}
	}
	return nil
}

func TestOnlyTheStateItWasWrittenFor(t *testing.T) {
	t.Parallel()
	root, _ := written(t, 1, 50)
	for _, c := range []struct {
		size int64
		sum  string
	}{{999, stateSum}, {1000, strings.Repeat("cd", 32)}, {1000, ""}, {1000, "no hex"}, {1000, stateSum + "00"}} {
		if _, err := Open(root, c.size, c.sum); !errors.Is(err, ErrStale) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	ix, err := Open(root, 1000, stateSum)
	if err != nil || ix.Len() == 0 || ix.Close() != nil {
		t.Error(err)
	}
	if err := root.Remove(Dir + "/" + File); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root, 1000, stateSum); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A wrong bit anywhere is refused: at once, or when a search comes to where it is. What is not touched cannot mislead.
func TestDamageIsRefusedWhereItIsMet(t *testing.T) {
	t.Parallel()
	_, good := written(t, 3, 60)
	met := 0
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		ix, err := opened(bad)
		if err == nil {
			err = everything(t, ix)
		}
		if err != nil {
			met++
		}
		if err != nil && !errors.Is(err, ErrStale) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if i >= len(good)-footerSize && err == nil {
			t.Fatalf("byte %d of the footer goes unseen", i)
		}
	}
	if met < len(good)*9/10 {
		t.Errorf("%d of %d damaged bytes were met", met, len(good))
	}
	for n := range good {
		if _, err := opened(good[:n]); !errors.Is(err, ErrStale) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	if _, err := opened(append(slices.Clone(good), 0)); !errors.Is(err, ErrStale) {
		t.Error("a byte too many")
	}
}

// sealed makes all sums of a sidecar right again, as somebody would who wants to mislead.
func sealed(data []byte) []byte {
	le := binary.LittleEndian
	if len(data) < footerSize {
		return data
	}
	foot := data[len(data)-footerSize:]
	end := le.Uint64(foot[atEnds+8*int(sections-1):])
	if body := uint64(len(data) - footerSize); end <= body && body-end == 4*((end+pageSize-1)/pageSize) {
		for page := uint64(0); page*pageSize < end; page++ {
			sum := crc32.Checksum(data[page*pageSize:min((page+1)*pageSize, end)], castagnoli())
			le.PutUint32(data[end+4*page:], sum)
		}
		le.PutUint32(foot[atPageSum:], crc32.Checksum(data[end:body], castagnoli()))
	}
	le.PutUint32(foot[atSum:], crc32.Checksum(foot[:atSum], castagnoli()))
	return data
}

// Lies under right sums lead to wrong answers or to ErrStale, and nowhere else.
func TestLiesLeadNobodyOutOfBounds(t *testing.T) {
	t.Parallel()
	_, good := written(t, 4, 40)
	r := rand.New(rand.NewPCG(7, 7))
	for range 4_000 {
		bad := slices.Clone(good)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		ix, err := opened(sealed(bad))
		if err == nil {
			err = everything(t, ix)
		}
		if err != nil && !errors.Is(err, ErrStale) {
			t.Fatal(err)
		}
	}
}

func FuzzSidecar(f *testing.F) {
	for _, n := range []int{0, 1, 30} {
		_, good := written(f, 5, n)
		f.Add(good)
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, err := opened(sealed(bytes.Clone(data)))
		if err == nil {
			err = everything(t, ix)
		}
		if err != nil && !errors.Is(err, ErrStale) {
			t.Fatal(err)
		}
	})
}

func TestEmptyState(t *testing.T) {
	t.Parallel()
	ix := sidecar(t, 100, nil)
	if err := everything(t, ix); err != nil || ix.Len() != 0 {
		t.Error(err)
	}
}

// The same records give the same bytes, in however many runs they come together.
func TestRunsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	records := recordsOf(world{rand.New(rand.NewPCG(9, 9))}.records(400))
	var first []byte
	for _, most := range []int{1 << 20, 60_000, 10_000, 1} {
		ix := sidecar(t, most, records)
		if first == nil {
			first = bytes.Clone(ix.data)
		}
		if !bytes.Equal(first, ix.data) {
			t.Errorf("%d bytes at a time give other bytes", most)
		}
	}
}

// Whatever call of the disk fails while the sidecar is made, Write says so, or it is there and right; and no temporary file is left but
// where removing it failed.
func TestEveryFaultOfTheDisk(t *testing.T) {
	records := recordsOf(world{rand.New(rand.NewPCG(10, 1))}.records(60))
	for nth := 1; ; nth++ {
		root, err := disk.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		n, removing := 0, false
		disk.SetHook(func(op disk.Op, _ string) error {
			if n++; n == nth {
				removing = op == disk.OpRemove
				return errors.New("injected")
			}
			return nil
		})
		b := NewBuilder(root)
		b.most = 20_000
		for _, r := range records {
			b.Add(r)
		}
		err = b.Write(1000, stateSum)
		disk.SetHook(nil)
		checkAfterFault(t, root, err, removing)
		root.Close()
		if n < nth {
			return
		}
	}
}

func checkAfterFault(t *testing.T, root *disk.Dir, err error, removing bool) {
	t.Helper()
	ix, openErr := Open(root, 1000, stateSum)
	if openErr == nil {
		defer ix.Close()
	}
	if err == nil && openErr != nil {
		t.Errorf("written, but %v", openErr)
	}
	names, _ := root.Names(Dir)
	if left := slices.DeleteFunc(names, func(name string) bool { return name == File }); len(left) > 0 && !removing {
		t.Errorf("%v left", left)
	}
}

func TestKeysAreFound(t *testing.T) {
	t.Parallel()
	records := recordsOf(world{rand.New(rand.NewPCG(11, 1))}.records(300))
	ix := sidecar(t, 1000, records)
	for i, r := range records {
		key := r.Key.String()
		if got, err := ix.key(uint32(i)); err != nil || got != key {
			t.Fatalf("row %d: %s, %v", i, got, err)
		}
		for text, want := range map[string]int{key: i, key + "\x00": i + 1} {
			if got, err := ix.from(text); err != nil || int(got) != want {
				t.Fatalf("from(%q) = %d, %v", text, got, err)
			}
		}
		if ts, err := ix.stamp(uint32(i)); err != nil || ts != r.TS {
			t.Fatal(ts, err)
		}
	}
	scope := keypath.Prefix{}
	if s, err := newSpace(ix, nil, new(Query).Within(scope)); err != nil || s.docs != len(records) {
		t.Error(err)
	}
}
