package life

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// check is a row of the table of checks of the end.
type check struct {
	name string
	run  func(l *life)
}

// checks is the table of checks, once all machines have exchanged.
var checks = []check{
	{"converged", (*life).checkConverged},
	{"kept", (*life).checkKept},
	{"ordered", (*life).checkOrdered},
	{"references", (*life).checkReferences},
	{"notes", (*life).checkNotes},
	{"gone", (*life).checkGone},
	{"copies", (*life).checkCopies},
	{"rebuilt", (*life).checkRebuilt},
	{"timeless", (*life).checkTimeless},
}

// end lets all machines be repaired and exchange, and checks what they have.
func (l *life) end() {
	l.now = l.now.Add(time.Minute)
	l.ends = log.StampOf(l.now.Add(3 * day))
	for _, m := range l.alive() {
		m.off = 0
		l.join(m)
		l.mend(m)
	}
	l.settle()
	l.now = l.now.Add(2 * day)
	for range 2 { // what cannot be read for a day is named, and is sent again at the next exchange
		if len(l.unread) > 0 {
			clear(l.unread)
			l.settle()
		}
	}
	l.removeUnread()
	for _, m := range l.alive() {
		l.mend(m)
	}
	clear(l.complaints)
	l.settle()
	for _, text := range slices.Sorted(maps.Keys(l.complaints)) {
		l.rt.Error(text)
	}
	for _, c := range checks {
		if l.isSound() {
			l.rt.Logf("check: %s", c.name)
			c.run(l)
		}
	}
}

// removeUnread removes the segments that nobody sends again, as mem doctor says after a week, where
// a machine never came back, which alone may have read them, or an exchange was cut once it had
// sent them.
func (l *life) removeUnread() {
	mayStay := func(path string) bool {
		return len(l.alive()) < len(l.machines) || l.unkept[path]
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(l.unread)), mayStay) {
		return
	}
	l.now = l.now.Add(8 * day)
	clear(l.unread)
	l.settle()
	for _, path := range slices.Sorted(maps.Keys(l.unread)) {
		if !mayStay(path) {
			continue // a complaint remains
		}
		r := l.run(l.unread[path], user, "doctor")
		if !strings.Contains(r.out, "remove the files below") {
			l.rt.Errorf("%s: doctor does not name %s: %s", l.unread[path].name, path, r)
		}
		l.must(os.Remove(path))
	}
	l.settle()
}

// isSound reports whether no check has failed so far.
func (l *life) isSound() bool { return !l.rt.Failed() }

// trustClock is the flag that fsck names where a store is ahead of the clock.
const trustClock = "--trust-clock"

// mend repairs a machine as fsck says, after which fsck finds nothing.
func (l *life) mend(m *machine) {
	for _, p := range projects {
		l.mendAt(m, p)
	}
	l.look(m, &taken{name: "repair", isAcknowledged: true})
}

func (l *life) mendAt(m *machine, at string) {
	found := l.run(m, at, "fsck")
	if found.code == 0 && !strings.Contains(found.err, trustClock) {
		return
	}
	// A line that is damaged and from the future is seen to be so once it is whole, and the repair
	// says that something is left.
	for range 2 {
		args := []string{"fsck", "--repair", "--yes"}
		if strings.Contains(found.err, trustClock) {
			args = append(args, trustClock)
		}
		if l.run(m, at, args...).code == 0 {
			break
		}
		found = l.run(m, at, "fsck")
	}
	if r := l.run(m, at, "fsck"); r.code != 0 && !l.isOfBytes(r) {
		l.rt.Errorf("%s: after a repair fsck says %s", m.name, r)
	}
}

var finding = regexp.MustCompile(`(?m)^.*\bF\d\d \w+ .*$`)

// isOfBytes reports whether fsck finds no more than that the bytes of artifacts are missing, of
// which a file has brought the lines alone.
func (l *life) isOfBytes(r result) bool {
	found := finding.FindAllString(r.out, -1)
	return len(found) > 0 && !slices.ContainsFunc(found, func(line string) bool {
		return !strings.Contains(line, "F19 absent") || !l.hasImported(line)
	})
}

// hasImported reports whether a text names the key of an artifact that a file has brought.
func (l *life) hasImported(text string) bool {
	for _, v := range l.versions {
		if v.isImported() && v.env.Key.Class() == keypath.Artifact &&
			strings.Contains(text, v.env.Key.String()) {
			return true
		}
	}
	return false
}

// checkRefusal checks that a verb that was refused has changed nothing, but for what a killed
// command had left to do. With --keep-going a part of a file alone is.
func (l *life) checkRefusal(m *machine, a *act, r result, before map[string]string) {
	isRefused := (r.code == 2 || r.code == 3) && !r.isKilled
	if !isRefused || isHalfDone(before) || slices.Contains(a.args, "--keep-going") {
		return
	}
	after := l.files(m)
	isCut := slices.ContainsFunc(slices.Collect(maps.Keys(after)), func(path string) bool {
		return before[path] == "" && strings.HasSuffix(path, "-torn") // a torn tail, set aside
	})
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if before[path] != after[path] && !isCut {
			l.rt.Errorf("%s: it was refused, and changed %s: %s", m.name, path, r)
		}
	}
}

// nothingStored is what a verb says that a full disk has kept from storing anything.
const nothingStored = "nothing was stored"

// checkFull checks that a verb which says that it stored nothing, on a full disk, has not. One that
// heals brings damaged lines back before.
func (l *life) checkFull(m *machine, r result, before answers) {
	if r.isFull && !l.wasHurt(m) && strings.Contains(r.err, nothingStored) {
		l.compare(m, l.contents(m), before)
	}
}

// halfNote is the file in cache/ for a command over several stores that was killed in between.
const halfNote = "half"

// isHalfDone reports whether such a note is among some files: the next write ends the command
// first, and may then find the disk full itself.
func isHalfDone(files map[string]string) bool {
	for path := range files {
		if filepath.Base(path) == halfNote {
			return true
		}
	}
	return false
}

// contents returns the live memories of a machine.
func (l *life) contents(m *machine) answers {
	all := answers{}
	for _, scope := range scopes {
		for _, one := range l.live(m, scope) {
			all[scope+" "+one.key()] = string(one.rec.Content)
		}
	}
	return all
}

// checkStamped checks that what a person has written has the time of the clock, or a later one.
func (l *life) checkStamped(v *version) {
	// A mark may be that of a purge that was killed, which the next writer ends, as it does what a
	// command over several stores has left.
	clock, since := log.StampOf(l.clock(v.by)), v.env.TS
	if at, err := log.ParseTime(retrievedAt(v.env)); err == nil {
		since = min(since, at) // the line is later where the memory was ahead of the clock
	}
	isLeft := slices.ContainsFunc(v.by.cut, func(at log.Stamp) bool {
		return since >= at && since < at+1000
	})
	if v.env.TS < clock && !v.isMark() && !isLeft {
		l.rt.Errorf("%s: %s wrote at %s with the time %s: %s", v.by.name, v.step, clock, v.env.TS,
			v.env.Line())
	}
}
