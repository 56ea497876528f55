//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
)

// tape records what a scenario does to a small tree: before each call that changes the disk it
// looks at every file and every directory, and so knows which call brought which change, and what
// had been synced by then. Moment m is the time after m calls.
type tape struct {
	t    testing.TB
	base string // the tree
	// kept is a directory with a hard link to every inode that was ever in the tree, so that the
	// system never gives one out again.
	kept  string
	top   *node
	files map[uint64]*node
	dirs  map[uint64]*node // of the last look: a directory's inode may be given out again
	calls []string
	trees []int        // calls that synced the whole file system
	syncs []int        // calls that synced anything
	busy  map[int]bool // moments of external modifications
}

// node is a file or directory that once was in the tree. Its versions begin with what was durable
// from the start, at moment 0: nothing, for what was made later.
type node struct {
	link  string                      // below kept; empty for a directory
	data  []version[string]           // of a file
	names map[string][]version[*node] // of a directory
	syncs []int                       // calls that synced it
}

// version is what something was from a moment on.
type version[T any] struct {
	at  int
	val T
}

// newTape begins to record. What is in the tree counts as durable.
func newTape(t testing.TB, base, kept string) *tape {
	tp := &tape{t: t, base: base, kept: kept, files: map[uint64]*node{}, dirs: map[uint64]*node{},
		busy: map[int]bool{}, top: &node{names: map[string][]version[*node]{}}}
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	tp.look()
	return tp
}

// recordWith has every call of the disk pass the tape, until the function it returns is called.
// Before each call that changes something it also lets others look.
func (tp *tape) recordWith(look func()) (stop func()) {
	looking := false
	disk.SetHook(func(op disk.Op, path string) error {
		if op.Mutates() && !looking {
			looking = true
			look()
			looking = false
			tp.look()
			tp.note(op, path)
		}
		return nil
	})
	return func() { disk.SetHook(nil); tp.look() }
}

// moment is now.
func (tp *tape) moment() int { return len(tp.calls) }

// settle makes external modifications count as durable.
func (tp *tape) settle() {
	tp.look()
	tp.busy[tp.moment()] = true
	tp.note(disk.OpSyncTree, tp.base)
}

func (tp *tape) note(op disk.Op, path string) {
	i := len(tp.calls)
	rel, _ := filepath.Rel(tp.base, path)
	tp.calls = append(tp.calls, string(op)+" "+rel)
	switch op {
	case disk.OpSyncTree:
		tp.trees, tp.syncs = append(tp.trees, i), append(tp.syncs, i)
	case disk.OpSync:
		tp.syncs = append(tp.syncs, i)
		if !strings.HasPrefix(rel, "..") {
			n := tp.find(rel)
			n.syncs = append(n.syncs, i)
		}
	}
}

// find returns what stands under a path now.
func (tp *tape) find(rel string) *node {
	n := tp.top
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "." {
			continue
		}
		versions := n.names[part]
		if len(versions) == 0 || versions[len(versions)-1].val == nil {
			tp.t.Fatalf("call %d syncs %s, which is not there", len(tp.calls), rel)
		}
		n = versions[len(versions)-1].val
	}
	return n
}

// look compares the tree with what it was.
func (tp *tape) look() {
	seen := map[uint64]*node{}
	tp.lookInto(tp.top, tp.base, seen)
	tp.dirs = seen
}

func (tp *tape) lookInto(dir *node, path string, seen map[uint64]*node) {
	entries, err := os.ReadDir(path)
	if err != nil {
		tp.t.Fatal(err)
	}
	here := map[string]*node{}
	for _, e := range entries {
		child := filepath.Join(path, e.Name())
		fi, err := os.Lstat(child)
		if err != nil {
			tp.t.Fatal(err)
		}
		here[e.Name()] = tp.known(fi, child, seen)
	}
	for name, n := range here {
		dir.names[name] = changed(dir.names[name], tp.moment(), n)
	}
	for name, versions := range dir.names {
		if here[name] == nil {
			dir.names[name] = changed(versions, tp.moment(), nil)
		}
	}
}

// known returns the node of what stands at path, and looks at it.
func (tp *tape) known(fi fs.FileInfo, path string, seen map[uint64]*node) *node {
	ino := fi.Sys().(*syscall.Stat_t).Ino
	if fi.IsDir() {
		n := tp.dirs[ino]
		if n == nil {
			n = &node{names: map[string][]version[*node]{}}
		}
		seen[ino] = n
		tp.lookInto(n, path, seen)
		return n
	}
	n := tp.files[ino]
	if n == nil {
		n = &node{link: filepath.Join(tp.kept, strconv.Itoa(len(tp.files)))}
		if err := os.Link(path, n.link); err != nil {
			tp.t.Fatal(err)
		}
		tp.files[ino] = n
	}
	text, err := os.ReadFile(path)
	if err != nil {
		tp.t.Fatal(err)
	}
	n.data = changed(n.data, tp.moment(), string(text))
	return n
}

// changed adds a version if it is one. Before the first there was nothing, durably, unless it stood
// there when the tape began.
func changed[T comparable](versions []version[T], at int, val T) []version[T] {
	var nothing T
	if len(versions) == 0 && at > 0 {
		versions = []version[T]{{0, nothing}}
	}
	if len(versions) > 0 && versions[len(versions)-1].val == val {
		return versions
	}
	return append(versions, version[T]{at, val})
}

// open returns the versions of which a power cut at moment k may leave any: the last one that was
// synced by then, and what came after it.
func open[T any](tp *tape, versions []version[T], syncs []int, k int) []version[T] {
	durable := max(0, lastBefore(syncs, k), lastBefore(tp.trees, k))
	from := 0
	for i, v := range versions {
		if v.at <= durable {
			from = i
		}
	}
	to := from + 1
	for to < len(versions) && versions[to].at <= k {
		to++
	}
	return versions[from:to]
}

// lastBefore returns the last call before the moment k; -1 for none.
func lastBefore(calls []int, k int) int {
	i, _ := slices.BinarySearch(calls, k)
	if i == 0 {
		return -1
	}
	return calls[i-1]
}
