package life

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// isMember reports whether a machine takes part in all depots.
func (l *life) isMember(m *machine) bool { return len(m.joined) == len(l.depots) }

func (l *life) drawJoin(m *machine) *act {
	if l.isMember(m) {
		return nil
	}
	return &act{do: func() { l.join(m) }, isCarried: true}
}

func (l *life) drawSync(m *machine) *act {
	if !l.isMember(m) {
		return nil
	}
	args := []string{"sync", "--json"}
	if i := l.draw("depot", len(l.depots)+1); i > 0 {
		args = append(args, l.depots[i-1].path)
	}
	return &act{at: user, args: args, isCarried: true}
}

// within is the time of the first exchange that is cut off.
const within = 20 * time.Millisecond

// drawSyncWithin draws an exchange that is cut off while it waits for a depot.
func (l *life) drawSyncWithin(m *machine) *act {
	if !l.isMember(m) {
		return nil
	}
	few := fewCalls * len(l.depots)
	n := l.between("cut at", few/2, 2*few)
	return &act{isCarried: true, do: func() {
		defer disk.SetHook(nil)
		for i := range maxCuts {
			end := within * time.Duration(1+i/4) // a busy machine needs longer
			disk.SetHook(l.atDepot(n, func() { time.Sleep(end + end/2) }))
			r := l.run(m, user, "sync", "--json", "--within", end.String())
			if r.code == 0 || n < few {
				return
			}
		}
		l.rt.Errorf("%s: %d exchanges that are cut at call %d bring nothing", m.name, maxCuts, n)
	}}
}

// An exchange that may make fewCalls at each depot gets somewhere, and ends after maxCuts of them.
const (
	fewCalls = 20
	maxCuts  = 40
)

// atDepot returns a hook that calls fn once, at the n-th call of the disk for a segment of a depot.
func (l *life) atDepot(n int, fn func()) func(disk.Op, string) error {
	count := 0
	return func(_ disk.Op, path string) error {
		isSegment := len(filepath.Base(path)) == 64
		if isSegment && strings.HasPrefix(path, filepath.Join(l.dir, "depot")) {
			if count++; count == n {
				fn()
			}
		}
		return nil
	}
}

// drawSyncOfTwo draws an exchange in the midst of which another machine exchanges.
func (l *life) drawSyncOfTwo(m *machine) *act {
	other := l.drawMachine()
	if !l.isMember(m) || !l.isMember(other) || other == m {
		return nil
	}
	n := l.between("meets at", 1, 40)
	return &act{isCarried: true, do: func() {
		defer disk.SetHook(nil)
		disk.SetHook(l.atDepot(n, func() {
			l.run(other, user, "sync", "--json")
			l.look(other, &taken{name: "sync of two", isAcknowledged: true})
			l.wake(m)
			l.enter(m, user)
		}))
		l.ok(m, user, "sync", "--json")
	}}
}

// backup is a backup of a machine.
type backup struct {
	of *machine
	id string // of the machine
}

func (l *life) backups() string { return filepath.Join(l.dir, "backups") }

func (l *life) drawBackup(m *machine) *act {
	if !l.isMember(m) {
		return nil
	}
	return &act{at: user, args: []string{"backup", "--yes", "--json", l.backups()}, isLook: true,
		done: func(r result) { l.backedUp(m, r) }}
}

func (l *life) backedUp(m *machine, r result) {
	var answer struct{ Stores []struct{ Scope string } }
	if r.code != 0 {
		return
	}
	l.must(json.Unmarshal([]byte(r.out), &answer))
	id := strings.Split(answer.Stores[0].Scope, "/")[1]
	l.saved = append(l.saved, backup{m, id})
}

func (l *life) drawRestore(m *machine) *act {
	if !l.isMember(m) || len(l.saved) == 0 {
		return nil
	}
	b := pick(l, "backup", l.saved)
	return &act{at: user, args: []string{"restore", "--yes", "--json", l.backups(), b.id},
		isCarried: true}
}

// settle exchanges until nothing moves.
func (l *life) settle() {
	for round := range 10 {
		moved := 0
		for _, m := range l.alive() {
			moved += l.exchange(m)
		}
		if did := (round > 0 || moved == 0) && l.decideLate(); moved == 0 && !did {
			return
		}
	}
	l.rt.Fatal("the exchanges never end")
}

// decideLate lets the machines for which lines wait take them, as a person does whose clock is
// right, and repairs those that have lines ahead of it: they say so. It reports whether there were
// any: those of a segment that cannot be read wait until that is sent again.
func (l *life) decideLate() (any bool) {
	if slices.ContainsFunc(l.alive(), func(m *machine) bool { return m.isBehind }) {
		const week = 8 * day // machines that are gone say no longer that others are behind
		l.now, l.ends = l.now.Add(week), l.ends+log.Stamp(week/time.Microsecond)
		return true
	}
	for _, m := range l.alive() {
		if m.ahead > 0 { // it takes nothing before
			l.mend(m)
		}
		any = any || m.ahead > 0
		if m.waiting > 0 {
			any = l.takeLate(m) > 0 || any
			l.mend(m)
		}
	}
	return any
}

// takeLate takes the lines that wait, and returns how many there were.
func (l *life) takeLate(m *machine) (n int) {
	r := l.ok(m, user, "sync", "late", "--take", "--yes", "--json")
	var answer struct {
		Exchanges []struct{ Stores []struct{ Taken int } }
	}
	l.must(json.Unmarshal([]byte(r.out), &answer))
	for _, d := range answer.Exchanges {
		for _, s := range d.Stores {
			n += s.Taken
		}
	}
	return n
}

// exchange exchanges with all depots, and returns how much has moved.
func (l *life) exchange(m *machine) (moved int) {
	r := l.ok(m, user, "sync", "--json")
	var answer struct {
		Exchanges []struct {
			Dest   string
			Stores []struct {
				Sent, Received, Purged, Cleaned int
				Ahead                           int
				Behind                          string
				Rejected                        []struct{ Segment, Why string }
				Remains, Waiting                []any
			}
		}
	}
	l.must(json.Unmarshal([]byte(r.out), &answer))
	m.waiting, m.ahead, m.isBehind = 0, 0, false
	for _, d := range answer.Exchanges {
		for _, s := range d.Stores {
			if n := s.Sent + s.Received + s.Purged + s.Cleaned; n > 0 {
				moved += n
				l.rt.Logf("%d sent, %d received, %d purged, %d cleaned", s.Sent, s.Received,
					s.Purged, s.Cleaned)
			}
			m.waiting, m.ahead = m.waiting+len(s.Waiting), m.ahead+s.Ahead
			m.isBehind = m.isBehind || s.Behind != ""
			for _, one := range s.Rejected {
				l.unread[filepath.Join(d.Dest, one.Segment[:2], one.Segment)] = m
			}
			if len(s.Rejected)+len(s.Remains) > 0 {
				l.complaints[fmt.Sprintf("%s: %v %v", m.name, s.Rejected, s.Remains)] = true
			}
		}
	}
	l.look(m, &taken{name: "sync", isAcknowledged: true})
	return moved
}
