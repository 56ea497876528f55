//go:build linux

package e2e

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A power cut leaves a state: for each name in each directory one of the versions since it was last
// synced, for each file one of its contents since, or what a disk makes of them when it was only
// half way. A chooser decides; it is asked once for each that is open.
type chooser interface {
	name(versions []version[*node]) int // index into versions, the first of which is durable
	data(versions []version[string]) string
}

// placed is a chooser that decides by the path.
type placed interface {
	nameAt(path string, versions []version[*node]) int
}

// ordered is what a file system with a journal leaves: names as they were after so many calls, and
// data that was not synced there or not.
type ordered struct {
	upTo    int
	present bool
}

func (o ordered) name(versions []version[*node]) int {
	i := 0
	for i+1 < len(versions) && versions[i+1].at <= o.upTo {
		i++
	}
	return i
}

func (o ordered) data(versions []version[string]) string {
	if o.present {
		return versions[len(versions)-1].val
	}
	return versions[0].val
}

// extreme is the least that POSIX demands, taken to one of its ends: every name old or new, all
// data in the same way.
type extreme struct {
	newNames bool
	damage   damage
}

func (e extreme) name(versions []version[*node]) int {
	if e.newNames {
		return len(versions) - 1
	}
	return 0
}

func (e extreme) data(versions []version[string]) string { return e.damage.of(versions) }

// flipped is an extreme but for the one decision number at, which goes the other way.
type flipped struct {
	extreme
	at, asked int
}

func (f *flipped) name(versions []version[*node]) int {
	if f.asked++; f.asked-1 != f.at {
		return f.extreme.name(versions)
	}
	return extreme{newNames: !f.newNames}.name(versions)
}

func (f *flipped) data(versions []version[string]) string {
	if f.asked++; f.asked-1 != f.at {
		return f.extreme.data(versions)
	}
	if f.damage == lost {
		return whole.of(versions)
	}
	return lost.of(versions)
}

// anyhow decides each by lot.
type anyhow struct{ *rand.Rand }

func (r anyhow) name(versions []version[*node]) int { return r.IntN(len(versions)) }

func (r anyhow) data(versions []version[string]) string {
	if r.IntN(2) == 0 {
		return versions[r.IntN(len(versions))].val
	}
	return damage(r.IntN(int(damages))).of(versions)
}

// damage is what becomes of data that was not synced.
type damage int

const (
	lost  damage = iota // as it was before
	whole               // all there
	cut                 // half of what is new
	zeros               // as long as it should be, with zeros for what is new
	torn                // the front half of what is new over what was there before
	damages
)

func (d damage) of(versions []version[string]) string {
	before, after := versions[0].val, versions[len(versions)-1].val
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	half := same + (len(after)-same)/2
	switch d {
	case lost:
		return before
	case cut:
		return after[:half]
	case zeros:
		return after[:same] + strings.Repeat("\x00", len(after)-same)
	case torn:
		return after[:half] + before[min(half, len(before)):]
	}
	return after
}

// state is one tree that a power cut could leave: directories, and files as the inode and its
// content.
type state struct {
	dirs  []string
	files map[string]content
}

type content struct {
	inode *node
	text  string
}

// after returns the state that a power cut at moment k leaves, by the decisions of c.
func (tp *tape) after(k int, c chooser) state {
	s := state{files: map[string]content{}}
	texts := map[*node]string{}
	var grow func(dir *node, path string)
	grow = func(dir *node, path string) {
		for _, name := range sortedNames(dir) {
			versions := open(tp, dir.names[name], dir.syncs, k)
			i := 0
			child := filepath.Join(path, name)
			if p, knows := c.(placed); knows {
				i = p.nameAt(child, versions)
			} else if len(versions) > 1 {
				i = c.name(versions)
			}
			n := versions[i].val
			switch {
			case n == nil:
			case n.names != nil:
				s.dirs = append(s.dirs, child)
				grow(n, child)
			default:
				if _, asked := texts[n]; !asked {
					texts[n] = tp.textOf(n, k, c)
				}
				s.files[child] = content{n, texts[n]}
			}
		}
	}
	grow(tp.top, "")
	return s
}

func sortedNames(dir *node) (names []string) {
	for name := range dir.names {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (tp *tape) textOf(n *node, k int, c chooser) string {
	versions := open(tp, n.data, n.syncs, k)
	if len(versions) == 1 {
		return versions[0].val
	}
	return c.data(versions)
}

// decisions counts what is open at moment k.
func (tp *tape) decisions(k int) int {
	f := &flipped{extreme: extreme{newNames: true, damage: whole}, at: -1}
	tp.after(k, f)
	return f.asked
}

// id is the same for the same tree.
func (s state) id() [32]byte {
	var all strings.Builder
	for _, d := range s.dirs {
		fmt.Fprintf(&all, "%s/\n", d)
	}
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&all, "%s %s %q\n", name, s.files[name].inode.link, s.files[name].text)
	}
	return sha256.Sum256([]byte(all.String()))
}

// build makes the tree of the tape equal to the state. Every file keeps its inode.
func (s state) build(t testing.TB, tp *tape) {
	t.Helper()
	entries, err := os.ReadDir(tp.base)
	for _, e := range entries {
		if err == nil {
			err = os.RemoveAll(filepath.Join(tp.base, e.Name()))
		}
	}
	for _, d := range s.dirs {
		if err == nil {
			err = os.Mkdir(filepath.Join(tp.base, d), 0o700)
		}
	}
	for name, c := range s.files {
		if err == nil {
			err = os.WriteFile(c.inode.link, []byte(c.text), 0o600)
		}
		if err == nil {
			err = os.Link(c.inode.link, filepath.Join(tp.base, name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
