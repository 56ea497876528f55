package life

import (
	"maps"
	"path/filepath"
	"slices"
	"time"
)

const day = 24 * time.Hour

// clocks are how far the clock of a machine may be off. Beyond a day, lines wait.
var clocks = []time.Duration{0, 0, 0, 2 * time.Minute, -2 * time.Minute, 3 * time.Hour,
	-3 * time.Hour, 23 * time.Hour, -23 * time.Hour, -30 * day, -400 * day, 30 * day, 800 * day}

// drawClock draws how far a clock is off.
func (l *life) drawClock() time.Duration {
	return pick(l, "clock", clocks)
}

func (l *life) drawClockStep(m *machine) *act {
	off := l.drawClock()
	return &act{isLook: true, do: func() {
		l.rt.Logf("the clock of %s is %v ahead", m.name, off)
		m.off = off
	}}
}

func (l *life) drawTime(*machine) *act {
	past := pick(l, "time", []time.Duration{time.Minute, time.Hour, day, 2 * day, 40 * day})
	return &act{isLook: true, do: func() { l.now = l.now.Add(past) }}
}

// drawGone draws that a machine never comes back: two stay.
func (l *life) drawGone(m *machine) *act {
	if len(l.alive()) < 3 {
		return nil
	}
	return &act{isLook: true, harm: loss, do: func() { m.isGone = true }}
}

// drawHomeCopied draws that a home is copied to a new machine, and both go on.
func (l *life) drawHomeCopied(m *machine) *act {
	if len(l.machines) > 4 {
		return nil
	}
	return &act{isLook: true, do: func() {
		name := string(rune('a' + len(l.machines)))
		other := &machine{name: name, away: filepath.Join(l.dir, "machine-"+name), off: m.off,
			joined: maps.Clone(m.joined), has: map[string]lines{},
			cut: slices.Clone(m.cut), owed: m.owed} // it ends what was killed, too
		for scope, held := range m.has {
			other.has[scope] = maps.Clone(held)
		}
		for _, v := range l.versions { // a damaged line is copied, too
			if v.hurtAt[m] {
				v.hurtAt[other] = true
			}
		}
		l.wake(m)
		l.copyTree(l.home(), other.away)
		l.machines = append(l.machines, other)
	}}
}
