package life

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// step is a row of the table of steps.
type step struct {
	name   string
	weight int
	// draw draws what the step does; nil: there is nothing that it could be done to.
	draw func(l *life, m *machine) *act
}

// steps is the table of steps. Each weight was fixed before the first run of its step.
var steps = []step{
	{"set", 8, (*life).drawSet},
	{"set with an expiry", 2, (*life).drawExpiring},
	{"note", 5, (*life).drawNote},
	{"edit", 4, (*life).drawEdit},
	{"touch", 1, (*life).drawTouch},
	{"pin", 1, (*life).drawPin},
	{"rename", 2, (*life).drawRename},
	{"merge", 2, (*life).drawMerge},
	{"supersede", 2, (*life).drawSupersede},
	{"refer", 2, (*life).drawRefer},
	{"forget", 4, (*life).drawForget},
	{"purge", 3, (*life).drawPurge},
	{"forget text", 1, (*life).drawForgetText},
	{"purge of a text", 1, (*life).drawPurgeOfText},
	{"undo --to", 2, (*life).drawUndoTo},
	{moveFromOther, 3, (*life).drawMoveFromOther},
	{"artifact", 2, (*life).drawArtifact},
	{"hand edit", 2, (*life).drawHandEdit},
	{"export to a folder", 2, (*life).drawExportToFolder},
	{"import of a folder", 2, (*life).drawImportOfFolder},
	{"careless copy", 1, (*life).drawCareless},
	{"undo", 2, (*life).drawUndo},
	{"undo --last", 4, (*life).drawUndoLast},
	{"move", 3, (*life).drawMove},
	{"link", 1, (*life).drawLink},
	{"quarantine", 1, (*life).drawQuarantine},
	{"propose", 2, (*life).drawPropose},
	{"approve", 1, (*life).drawApprove},
	{"reject", 1, (*life).drawReject},
	{"export", 2, (*life).drawExport},
	{"import", 3, (*life).drawImport},
	{"import of all", 2, (*life).drawImportOfAll},
	{"import of a cut file", 1, (*life).drawCutImport},
	{"import otherwise", 4, (*life).drawImportOtherwise},
	{"import of lines", 2, (*life).drawLines},
	{"other store", 4, (*life).drawOther},
	{"copy", 2, (*life).drawCopy},
	{"backup", 2, (*life).drawBackup},
	{"restore", 2, (*life).drawRestore},
	{"join", 3, (*life).drawJoin},
	{"sync", 14, (*life).drawSync},
	{"sync within", 2, (*life).drawSyncWithin},
	{"sync of two", 2, (*life).drawSyncOfTwo},
	{"compact", 3, (*life).drawCompact},
	{"fsck", 1, (*life).drawFsck},
	{"repair", 2, (*life).drawRepair},
	{"time passes", 4, (*life).drawTime},
	{"clock", 3, (*life).drawClockStep},
	{"gone for good", 1, (*life).drawGone},
	{"home copied", 1, (*life).drawHomeCopied},
	{"store saved", 2, (*life).drawSaved},
	{"store put back", 1, (*life).drawPutBack},
	{"rebuild", 1, (*life).drawRebuild},
	{"segment harmed", 2, (*life).drawSegmentHarmed},
	{"bit flipped", 3, (*life).drawBitFlipped},
}

// weighed returns each step of a table as often as it weighs.
func weighed(table []step) (all []step) {
	for _, s := range table {
		for range s.weight {
			all = append(all, s)
		}
	}
	return all
}

// memory is a live memory of a machine.
type memory struct {
	scope string
	rec   log.Record
}

// key returns the key of a memory as an argument.
func (m memory) key() string { return m.rec.Key.String() }

// live returns the live memories of a scope but those that wait for a decision, oldest first: an id
// may be drawn by chance, and lives are to be seen again.
func (l *life) live(m *machine, scope string) (list []memory) {
	return slices.DeleteFunc(l.below(m, scope, ""), func(one memory) bool {
		return one.rec.Key.Class() == keypath.Quarantined
	})
}

// below returns the live memories of a scope below a prefix, oldest first.
func (l *life) below(m *machine, scope, prefix string) (list []memory) {
	l.wake(m)
	if l.root(scope) == "" {
		return nil
	}
	s := l.open(m, scope)
	defer s.Close()
	below, err := keypath.ParsePrefix(prefix)
	l.must(err)
	all := mem.Filter{Prefix: below, All: true}
	l.must(s.List(ctx, mem.Caller{}, all, func(rec log.Record) error {
		list = append(list, memory{scope, rec.Clone()})
		return nil
	}))
	slices.SortFunc(list, func(a, b memory) int {
		return cmp.Or(cmp.Compare(a.rec.TS, b.rec.TS),
			cmp.Compare(string(a.rec.Content), string(b.rec.Content)))
	})
	return list
}

// drawScope draws one of the memories of a machine.
func (l *life) drawScope() string { return pick(l, "scope", scopes) }

// drawLive draws a live memory of a machine; nil: a drawn scope has none. Half of them are the last
// that anybody wrote: what follows on a change is about the same memory.
func (l *life) drawLive(m *machine) *memory {
	if l.draw("again", 2) == 1 {
		for _, one := range l.live(m, l.focus.scope) {
			if one.key() == l.focus.key {
				return &one
			}
		}
	}
	list := l.live(m, l.drawScope())
	if len(list) == 0 {
		return nil
	}
	one := pick(l, "memory", list)
	return &one
}

// drawTwo draws two live memories of one scope.
func (l *life) drawTwo(m *machine) (a, b *memory) {
	list := l.live(m, l.drawScope())
	if len(list) < 2 {
		return nil, nil
	}
	i := l.draw("memory", len(list))
	j := l.between("another", 0, len(list)-2)
	if j >= i {
		j++
	}
	return &list[i], &list[j]
}

// on returns the act of a verb on memories of a scope; nil if one is missing. It names the layer,
// for a rule of the user is shown before a memory of the project.
func on(m *memory, verb string, args ...string) *act {
	if m == nil {
		return nil
	}
	layer := "project"
	if m.scope == user {
		layer = user
	}
	return &act{at: m.scope, args: append([]string{verb, m.key(), "--layer", layer}, args...)}
}

// drawKey draws one of few keys, so that machines meet at them.
func (l *life) drawKey() string {
	if strings.HasPrefix(l.focus.key, "/k/") && l.draw("again", 3) == 2 {
		return l.focus.key
	}
	return fmt.Sprintf("/k/%d", l.between("key", 0, 3))
}

// word returns a word for a new version.
func (l *life) word() string {
	l.words++
	return fmt.Sprintf("w%05dx", l.words)
}

// focus is the last memory that somebody wrote.
type focus struct{ scope, key string }

// drawOnce draws a key that a memory of a machine has ever had, and its scope; "" if none. Half of
// them are of the last memory that anybody wrote.
func (l *life) drawOnce(m *machine) (scope, key string) {
	if l.draw("again", 2) == 1 && len(m.has[l.focus.scope]) > 0 {
		for _, e := range m.has[l.focus.scope] {
			if e.Key.String() == l.focus.key {
				return l.focus.scope, l.focus.key
			}
		}
	}
	scope = l.drawScope()
	keys := map[keypath.Key]log.Stamp{}
	for _, e := range m.has[scope] {
		keys[e.Key] = max(keys[e.Key], e.TS)
	}
	var list []keypath.Key
	for key := range keys {
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b keypath.Key) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a.String(), b.String()))
	})
	if len(list) == 0 {
		return scope, ""
	}
	return scope, pick(l, "key", list).String()
}

// file returns a path for a file that a person keeps outside of the homes.
func (l *life) file(name string) string {
	l.outside++
	return filepath.Join(l.dir, fmt.Sprintf("%03d-%s", l.outside, name))
}
