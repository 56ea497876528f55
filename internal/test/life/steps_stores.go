package life

import (
	"maps"
	"os"
)

// drawCopy draws a copy of a store, which has the same history in the end.
func (l *life) drawCopy(m *machine) *act {
	scope := l.drawScope()
	for _, in := range scopes {
		if l.isHurtAt(m, in) {
			scope = in
		}
	}
	if len(m.has[scope]) == 0 {
		return nil
	}
	l.wake(m)
	root, to := l.root(scope), l.file("copy")
	return &act{at: user, args: []string{"copy", root, to}, isLook: true, done: func(r result) {
		if r.code == 0 {
			l.checkCopy(m, scope, to)
		}
	}}
}

// wasHurt reports whether a line of a machine was ever damaged.
func (l *life) wasHurt(m *machine) bool {
	for _, v := range l.versions {
		if v.hurtAt[m] {
			return true
		}
	}
	return false
}

// isHurtAt reports whether a machine cannot read a line of a memory any more.
func (l *life) isHurtAt(m *machine, scope string) bool {
	for where, v := range l.versions {
		if _, ok := m.has[scope][where.id]; v.hurtAt[m] && v.scope == scope && !ok {
			return true
		}
	}
	return false
}

// checkCopy checks that a copy has every line that its store had once, also a damaged one.
func (l *life) checkCopy(m *machine, scope, to string) {
	held := l.historyAt(m, to)
	for id, e := range m.has[scope] {
		if _, ok := held[id]; !ok {
			l.rt.Errorf("%s: the copy lacks %s", m.name, e.Line())
		}
	}
	for where, v := range l.versions {
		_, isThere := m.has[scope][where.id]
		if where.scope == scope && v.hurtAt[m] && !isThere && !l.isPurged(v) {
			l.rt.Errorf("%s: the copy succeeds without the damaged %s", m.name, v.env.Line())
		}
	}
}

// savedStore is a copy of a store that a person has put aside.
type savedStore struct {
	of    *machine
	scope string
	path  string
	has   lines
}

func (l *life) drawSaved(m *machine) *act {
	scope := l.drawScope()
	if len(m.has[scope]) == 0 {
		return nil
	}
	return &act{isLook: true, do: func() {
		one := savedStore{m, scope, l.file("saved"), maps.Clone(m.has[scope])}
		l.wake(m)
		l.copyTree(l.root(scope), one.path)
		l.copies = append(l.copies, one)
	}}
}

// drawPutBack draws a store that is put back from a copy.
func (l *life) drawPutBack(m *machine) *act {
	for _, one := range l.copies {
		if one.of == m {
			return &act{harm: loss, do: func() {
				m.forgetCommands()
				l.wake(m)
				root := l.root(one.scope)
				l.must(os.RemoveAll(root))
				l.copyTree(one.path, root)
			}}
		}
	}
	return nil
}

// drawRebuild draws the removal of all that follows from a history.
func (l *life) drawRebuild(m *machine) *act {
	scope := l.drawScope()
	return &act{isLook: true, do: func() { l.removeDerived(m, scope) }}
}

func (l *life) drawCompact(m *machine) *act {
	return &act{at: l.drawScope(), args: []string{"compact"}, isLook: true}
}

func (l *life) drawFsck(m *machine) *act {
	return &act{at: l.drawScope(), args: []string{"fsck"}, isLook: true}
}

func (l *life) drawRepair(m *machine) *act {
	at := l.drawScope()
	return &act{at: at, args: []string{"fsck", "--repair", "--yes"}, isLook: true}
}
