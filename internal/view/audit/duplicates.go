package audit

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// sum is the hash of what a memory says: texts are not kept.
type sum [16]byte

func sumOf(text []byte) sum {
	full := sha256.Sum256(text)
	return sum(full[:16])
}

// copies are the memories by what they say.
type copies struct {
	first  map[sum]copied
	groups map[sum][]copied // of several that say the same
	says   map[sum]string   // of the groups
}

type copied struct {
	version
	text    sum // of the member text, as it is spelled
	hasText bool
}

func newCopies() *copies {
	return &copies{map[sum]copied{}, map[sum][]copied{}, map[sum]string{}}
}

func (c *copies) add(rec log.Record, f content.Fields) {
	says, ok := meaning(rec.Content, &f)
	if !ok {
		return
	}
	if rec.Key.Class() == keypath.Session {
		// A note for one conversation must not take the place of a lasting one.
		says = append(says, " session"...)
	}
	id := sumOf(says)
	this := copied{versionOf(rec, f), sumOf([]byte(f.Text)), f.Text != ""}
	first, again := c.first[id]
	if !again {
		c.first[id] = this
		return
	}
	if c.groups[id] == nil {
		c.groups[id], c.says[id] = []copied{first}, short(rec, f)
	}
	c.groups[id] = append(c.groups[id], this)
}

func (c *copies) findings() (found []Finding) {
	for id, group := range c.groups {
		slices.SortFunc(group, func(a, b copied) int { return a.compare(b.version) })
		last := len(group) - 1
		var old []keypath.Key
		for _, one := range group[:last] {
			old = append(old, one.key)
		}
		newest := group[last].key
		found = append(found, Finding{Check: Duplicates, Key: newest, Others: old,
			Detail: fmt.Sprintf("%d say the same: %s", len(group), c.says[id]),
			Fix:    joining(group, old, newest)})
	}
	return found
}

// joining returns the fix that leaves one of a group. Only objects can be merged. Where the texts
// are spelled apart, a merge would keep each of them on a line of its own, so the newest takes the
// place of the others.
func joining(group []copied, old []keypath.Key, newest keypath.Key) Fix {
	if slices.ContainsFunc(group, func(c copied) bool { return !c.object }) {
		return one("rm", names(old)...)
	}
	if spelledAlike(group) {
		return one("merge", append(names(old), "--into", name(newest))...)
	}
	var fix Fix
	for _, key := range old {
		fix.Calls = append(fix.Calls, Call{"supersede", []string{name(key), name(newest)}})
	}
	return fix
}

func spelledAlike(group []copied) bool {
	var text *sum
	for i := range group {
		switch {
		case !group[i].hasText:
		case text == nil:
			text = &group[i].text
		case *text != group[i].text:
			return false
		}
	}
	return true
}
