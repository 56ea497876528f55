package keypath_test

import (
	"math/rand/v2"
	"testing"

	"github.com/set-memory/mem/keypath"
)

// The next number depends on which numbers were added, not on their order, nor on what was merged.
func TestCounts(t *testing.T) {
	const gap = keypath.MaxGap
	const most = 999_999_999_999_999
	for _, c := range []struct {
		add  []int64
		next int64
	}{
		{nil, 1},
		{[]int64{1, 2, 3}, 4},
		{[]int64{40}, 41},
		{[]int64{gap}, gap + 1},
		{[]int64{gap + 1}, 1},
		{[]int64{7, most}, 8},
		{[]int64{7, gap + 7, 2*gap + 7, 3*gap + 8}, 2*gap + 8},
		{[]int64{gap / 2, gap, gap * 3 / 2, most - 1}, gap*3/2 + 1},
	} {
		for range 20 {
			var all, other keypath.Counts
			for _, i := range rand.Perm(len(c.add)) {
				if rand.IntN(2) == 0 {
					all.Add("note", c.add[i])
				} else {
					other.Add("note", c.add[i])
				}
			}
			all.Merge(other)
			all.Merge(other.Clone())
			if n, ok := all.Next("note"); !ok || n != c.next {
				t.Errorf("%d: next is %d, %v, want %d", c.add, n, ok, c.next)
			}
			if n, ok := all.Next("other"); !ok || n != 1 {
				t.Errorf("another counter: %d, %v", n, ok)
			}
		}
	}
	full := keypath.CountsOf(map[string]int64{"note": most})
	if n, ok := full.Next("note"); ok {
		t.Errorf("after the last number: %d", n)
	}
}

func TestCountsAreCopied(t *testing.T) {
	var a keypath.Counts
	a.Add("note", 3)
	b := a.Clone()
	b.Add("note", 9)
	if n, _ := a.Next("note"); n != 4 {
		t.Errorf("the copy's number counts: %d", n)
	}
	a.Highest()["note"] = 100
	if n, _ := a.Next("note"); n != 4 {
		t.Errorf("what was returned is the original: %d", n)
	}
}

// The ids that a note may have, by its scope.
func TestNumberOfNotes(t *testing.T) {
	for text, want := range map[string]int64{
		"/note/user/m-4": 4, "/note/user/u-4": 4, "/note/workspace/m-12": 12,
		"/note/session/m-1":        1,
		"/note/workspace/m-3-abcd": 3, "/note/session/m-3-zzzz": 3,
		"/note/user/m-3-abcd": 3, "/note/user/u-3-abcd": 3, "/note/workspace/u-4": 0,
		"/note/workspace/u-3-abcd": 0, "/note/user/u-abcd": 0, "/note/user/u-3-abcd-abcd": 0,
		"/note/workspace/m-3-abc": 0, "/note/workspace/m-3-abcde": 0,
		"/note/workspace/m-3-abcdef": 3, "/note/user/u-3-abcdef": 3,
		"/note/workspace/m-3-abcdefg": 0, "/note/user/u-3-abcdef-abcdef": 0,
		"/note/workspace/m-3-abcD": 0,
		"/note/workspace/m-3-ab-d": 0, "/note/workspace/m--abcd": 0, "/note/workspace/m-03": 0,
		"/note/other/m-3": 0, "/note/user/m-3/x": 0, "/note/user/u-": 0, "/note/user/x-3": 0,
	} {
		key, err := keypath.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		counter, n, ok := key.Number()
		if ok != (want != 0) || ok && (n != want || counter != "note") {
			t.Errorf("%s: %q %d %v, want %d", text, counter, n, ok, want)
		}
	}
}

// The short form of an id is the id itself where no letters end it.
func TestShortID(t *testing.T) {
	for text, want := range map[string]string{
		"/note/workspace/m-3-abcd": "m-3", "/note/user/u-12-zzzz": "u-12", "/note/user/m-3": "m-3",
		"/note/user/u-12-zzzzzz":  "u-12",
		"/note/workspace/m-3-abc": "", "/note/other/m-3-abcd": "", "/kb/m-3-abcd": "",
	} {
		id, ok := keypath.ShortID(keypath.MustParse(text))
		if ok != (want != "") || ok && id != want {
			t.Errorf("%s: %q %v, want %q", text, id, ok, want)
		}
	}
}
