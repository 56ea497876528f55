package site_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
	"pgregory.net/rapid"
)

var errCut = errors.New("cut")

// cutAt runs fn so that the nth call that changes the disk, and all after it, fail. It reports
// whether there were that many.
func cutAt(n int, fn func() error) (cut bool, err error) {
	disk.SetHook(func(op disk.Op, _ string) error {
		if op.Mutates() {
			n--
		}
		if n < 0 {
			cut = true
			return errCut
		}
		return nil
	})
	defer disk.SetHook(nil)
	err = fn()
	return cut, err
}

// Grant and Revoke may be cut at every call. What is not let in stays so until a Grant returned, or
// its record is there; and the next call puts all right.
func TestCutAnywhere(t *testing.T) {
	for n := 0; ; n++ {
		d := newDesk(t)
		root := d.store("a")
		former := d.grant(root)
		must(t, d.Learn(former, env(0)))
		put(t, root+"/id", "of a clone\n")
		cut, err := cutAt(n, func() error {
			_, err := d.Grant(root, stamp(1))
			return err
		})
		if cut != (err != nil) {
			t.Fatalf("cut at %d: %v, %v", n, cut, err)
		}
		if g, ok, _ := d.Look(root); ok && (g.ID == former.ID || g.Since != stamp(1)) {
			t.Errorf("cut at %d: %+v", n, g)
		}
		g := d.grant(root)
		if !d.trusts(root) || len(d.knows(g, 3)) != 0 {
			t.Errorf("cut at %d: what comes after: %+v", n, g)
		}
		if !cut {
			break
		}
	}
	for n := 0; ; n++ {
		d := newDesk(t)
		root := d.store("a")
		must(t, d.Learn(d.grant(root), env(0)))
		cut, _ := cutAt(n, func() error { _, err := d.Revoke(root); return err })
		_, err := d.Revoke(root)
		if err != nil || d.trusts(root) {
			t.Errorf("cut at %d: still trusted, %v", n, err)
		}
		if g := d.grant(root); len(d.knows(g, 3)) != 0 {
			t.Errorf("cut at %d: lines are known", n)
		}
		if !cut {
			break
		}
	}
}

// A write that the disk cuts short is an error, and what it left harms no other line.
func TestLearnCutShort(t *testing.T) {
	d := newDesk(t)
	g := d.grant(d.store("a"))
	must(t, d.Learn(g, env(0)))
	disk.SetHook(func(op disk.Op, _ string) error {
		if op == disk.OpWrite {
			return &disk.Short{Err: errCut}
		}
		return nil
	})
	err := d.Learn(g, env(1))
	disk.SetHook(nil)
	if !errors.Is(err, errCut) {
		t.Error(err)
	}
	must(t, d.Learn(g, env(2)))
	if got := d.knows(g, 3); len(got) != 2 {
		t.Errorf("known: %d", got)
	}
}

// The table has what a map would have, also where many identities begin alike.
func TestTable(t *testing.T) {
	t.Parallel()
	identity := rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(rapid.SampledFrom([]string{"0", "a"}).Draw(t, "begin"), 60) +
			rapid.StringMatching(`[0-9a-f]{4}`).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.OneOf(identity, rapid.StringMatching(`[0a]{0,70}`))).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		known := map[string]bool{}
		for i, line := range lines {
			if len(line) == 64 && i < len(lines)-1 {
				known[line] = true
			}
		}
		has, n := site.Table([]byte(text))
		if n != len(known) {
			t.Fatalf("%d, want %d", n, len(known))
		}
		for _, line := range append(lines, rapid.SliceOf(identity).Draw(t, "others")...) {
			if len(line) == 64 && has(line) != known[line] {
				t.Fatalf("%s: %v", line, has(line))
			}
		}
	})
}
