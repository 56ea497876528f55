package fts

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// written returns the bytes of a sidecar of n records, and the root that it is in.
func written(t testing.TB, seed uint64, n int) (*disk.Dir, []byte) {
	t.Helper()
	root, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := NewBuilder(root)
	for _, r := range recordsOf(world{rand.New(rand.NewPCG(seed, 2))}.records(n)) {
		b.Add(r, content.Parse(r.Content))
	}
	if err := install(b); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root.Path(), sidecar.Dir, format.File))
	if err != nil {
		t.Fatal(err)
	}
	return root, data
}

// opened takes bytes for the sidecar below a root.
func opened(t testing.TB, root *disk.Dir, data []byte) (*Index, error) {
	t.Helper()
	path := filepath.Join(root.Path(), sidecar.Dir, format.File)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(root, 1000, stateSum)
}

// searched opens bytes for a sidecar, and searches it.
func searched(t testing.TB, root *disk.Dir, data []byte) error {
	t.Helper()
	ix, err := opened(t, root, data)
	if err != nil {
		return err
	}
	defer ix.Close()
	return everything(t, ix)
}

// everyRow is a query that touches all there is of words.
func everything(t testing.TB, ix *Index) error {
	for _, text := range []string{
		"dentist running config* anna", "牙科复诊 may 7 2026 key:/a/b", "tag:sec",
		`"anna ran" -photo 2026-02-23`,
	} {
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
	if _, err := Open(root, 1000, strings.Repeat("cd", 32)); !errors.Is(err, ErrStale) {
		t.Error(err)
	}
	ix, err := Open(root, 1000, stateSum)
	if err != nil || ix.Len() == 0 || ix.Close() != nil {
		t.Error(err)
	}
	if err := root.Remove(sidecar.Dir + "/" + format.File); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root, 1000, stateSum); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A wrong bit is refused when a search comes to where it is. What is not touched cannot mislead.
func TestDamageIsRefusedWhereItIsMet(t *testing.T) {
	t.Parallel()
	root, good := written(t, 3, 60)
	met, tried := 0, 0
	for i := 0; i < len(good); i += 7 {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		err := searched(t, root, bad)
		if tried++; err != nil {
			met++
		}
		if err != nil && !errors.Is(err, ErrStale) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	if met < tried*9/10 {
		t.Errorf("%d of %d damaged bytes were met", met, tried)
	}
}

// contents returns the numbers and the sections of a sidecar.
func contents(t testing.TB, ix *Index) (nums [numbers]uint64, parts [sections][]byte) {
	t.Helper()
	for i := range nums {
		nums[i] = ix.file.Number(i)
	}
	for i := range parts {
		part, err := ix.part(section(i), 0, ix.size(section(i)))
		if err != nil {
			t.Fatal(err)
		}
		parts[i] = slices.Clone(part)
	}
	return nums, parts
}

// searchLies writes a sidecar with such contents under right sums, as somebody would who wants to
// mislead, and searches it. The error is nil or wraps ErrStale.
func searchLies(t testing.TB, root *disk.Dir, nums [numbers]uint64, parts [sections][]byte) {
	t.Helper()
	draft, err := sidecar.Create(root, format, 1000, stateSum, func(w *sidecar.Writer) error {
		w.SetNumbers(nums[:]...)
		for _, part := range parts {
			w.Section(part)
		}
		return w.Err()
	})
	if err == nil {
		err = draft.Install()
	}
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Open(root, 1000, stateSum)
	if err == nil {
		err = everything(t, ix)
		ix.Close()
	}
	if err != nil && !errors.Is(err, ErrStale) {
		t.Fatal(err)
	}
}

// Lies under right sums lead to wrong answers or to ErrStale, and nowhere else.
func TestLiesLeadNobodyOutOfBounds(t *testing.T) {
	t.Parallel()
	root, good := written(t, 4, 40)
	ix, err := opened(t, root, good)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	nums, parts := contents(t, ix)
	r := rand.New(rand.NewPCG(7, 7))
	for range 2_000 {
		nums, parts := nums, parts
		for range 1 + r.IntN(3) {
			if r.IntN(20) == 0 {
				nums[1+r.IntN(numbers-1)] = r.Uint64() >> r.IntN(64)
			}
			i := r.IntN(int(sections))
			if parts[i] = slices.Clone(parts[i]); len(parts[i]) > 0 {
				parts[i][r.IntN(len(parts[i]))] = byte(r.Uint32())
			}
		}
		searchLies(t, root, nums, parts)
	}
}

func FuzzSidecar(f *testing.F) {
	for _, n := range []int{0, 1, 30} {
		root, good := written(f, 5, n)
		ix, err := opened(f, root, good)
		if err != nil {
			f.Fatal(err)
		}
		_, p := contents(f, ix)
		f.Add(ix.file.Number(numRows), ix.file.Number(numTerms), ix.file.Number(numWords),
			p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12])
		ix.Close()
	}
	root, _ := written(f, 5, 1)
	f.Fuzz(func(t *testing.T, rows, terms, words uint64,
		a, b, c, d, e, g, h, i, j, k, l, m, n []byte) {
		searchLies(t, root, [numbers]uint64{analyzer.Version, rows, terms, words},
			[sections][]byte{a, b, c, d, e, g, h, i, j, k, l, m, n})
	})
}

func TestEmptyState(t *testing.T) {
	t.Parallel()
	ix := sidecarOf(t, 100, nil)
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
		ix := sidecarOf(t, most, records)
		_, parts := contents(t, ix)
		all := slices.Concat(parts[:]...)
		if first == nil {
			first = all
		}
		if !bytes.Equal(first, all) {
			t.Errorf("%d bytes at a time give other bytes", most)
		}
	}
}

// Whatever call of the disk fails while the sidecar is made, Write says so, or it is there and
// right; and no temporary file is left but where removing it failed.
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
		b.maxHeld = 20_000
		for _, r := range records {
			b.Add(r, content.Parse(r.Content))
		}
		err = install(b)
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
	names, _ := root.Names(sidecar.Dir)
	left := slices.DeleteFunc(names, func(name string) bool { return name == format.File })
	if len(left) > 0 && !removing {
		t.Errorf("%v left", left)
	}
}

func TestKeysAreFound(t *testing.T) {
	t.Parallel()
	records := recordsOf(world{rand.New(rand.NewPCG(11, 1))}.records(300))
	ix := sidecarOf(t, 1000, records)
	for i, r := range records {
		key := r.Key.String()
		if got, err := ix.Key(uint32(i)); err != nil || got != key {
			t.Fatalf("row %d: %s, %v", i, got, err)
		}
		for text, want := range map[string]int{key: i, key + "\x00": i + 1} {
			if got, err := ix.rowFrom(text); err != nil || int(got) != want {
				t.Fatalf("from(%q) = %d, %v", text, got, err)
			}
		}
		if ts, err := ix.stamp(uint32(i)); err != nil || ts != analyzer.TimeOf(&r) {
			t.Fatal(ts, err)
		}
	}
	scope := keypath.Prefix{}
	c, err := newCorpus(ix, nil, new(Query).Narrow(scope), nil)
	if err != nil || c.docs != len(records) {
		t.Error(err)
	}
}
