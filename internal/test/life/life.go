package life

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing/cryptotest"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// life is one life.
type life struct {
	*world
	rt         *rapid.T
	now        time.Time
	ends       log.Stamp // later lines are of clocks that were ahead, and stay where they are
	machines   []*machine
	depots     []*place
	identities map[string]string // of the projects
	words      int
	asked      int // sessions of a client

	versions   map[at]*version
	purges     []*purge
	notes      map[string]string // the id of a note that was acknowledged, and its word
	focus      focus
	exports    []export
	copies     []savedStore
	saved      []backup
	outside    int                 // files that were made outside of the homes
	isBegun    bool                // verbs meet faults
	complaints map[string]bool     // of the last exchanges
	unread     map[string]*machine // files of segments that a machine could not read
	unkept     map[string]bool     // likewise, of those that an exchange sent which was cut
	settled    answers             // of every machine, once all have exchanged
}

// taken is a step that is taken.
type taken struct {
	name           string
	isAcknowledged bool
	isPersons      bool
	harm           harm
	gained         map[string]bool // keys of the lines that came to the machine, with their scopes
	endsAnother    bool            // it found a killed command over several stores, to end it first
}

// live lives one life.
func (w *world) live(rt *rapid.T) {
	l := &life{world: w, rt: rt, now: time.Date(2020, 2, 22, 12, 0, 0, 0, time.UTC),
		versions: map[at]*version{}, identities: map[string]string{}, notes: map[string]string{},
		complaints: map[string]bool{}, unread: map[string]*machine{}, unkept: map[string]bool{}}
	// The ids are those of the life: a life that is seen again has them all.
	cryptotest.SetGlobalRandom(w.t, uint64(l.draw("ids", 1<<16)))
	l.begin()
	l.isBegun = true
	for range l.between("steps", 10, 45) {
		l.step()
	}
	l.end()
}

func (l *life) must(err error) {
	if err != nil {
		l.rt.Helper()
		l.rt.Fatal(err)
	}
}

// ok runs a verb that must succeed.
func (l *life) ok(m *machine, at string, args ...string) result {
	l.rt.Helper()
	r := l.run(m, at, args...)
	if r.code != 0 {
		l.rt.Fatalf("machine %s: exit %d: %s", m.name, r.code, r)
	}
	return r
}

// begin makes the machines and the depots, which most machines take part in from the start.
func (l *life) begin() {
	l.awake = nil
	l.must(os.Chdir("/"))
	l.must(os.RemoveAll(l.dir))
	l.must(os.MkdirAll(l.temporary(), 0o700))
	for i := range l.between("machines", 2, 4) {
		m := l.addMachine(string(rune('a' + i)))
		m.off = l.drawClock()
		for _, p := range projects {
			l.ok(m, p, writeStep(l, m, p, "/k/"+m.name).args...)
		}
	}
	for _, p := range projects {
		l.identities[p] = l.identityOf(p)
	}
	for _, m := range l.machines {
		l.look(m, &taken{name: "set", isAcknowledged: true, isPersons: true})
	}
	if l.draw("archives", 2) == 1 {
		for _, m := range l.machines {
			for _, scope := range scopes {
				l.ok(m, scope, "config", "set", "rotate.lines", "5")
			}
		}
	}
	for i := range l.between("depots", 1, 3) {
		l.addDepot(fmt.Sprintf("depot%d", i+1))
	}
	for _, m := range l.machines {
		if l.draw("joins later", 2) == 0 {
			l.join(m)
		}
	}
}

// identityOf returns the identity of a project, which is the same on all machines.
func (l *life) identityOf(project string) string {
	var where struct {
		Stores []struct{ Layer, Identity string }
	}
	r := l.ok(l.machines[0], project, "where", "--json")
	l.must(json.Unmarshal([]byte(r.out), &where))
	return where.Stores[0].Identity
}

// alive returns the machines that may still do something.
func (l *life) alive() []*machine {
	return slices.DeleteFunc(slices.Clone(l.machines), func(m *machine) bool { return m.isGone })
}

// step takes a drawn step on a drawn machine.
func (l *life) step() {
	l.now = l.now.Add(400 * time.Millisecond)
	m := l.drawMachine()
	s := pick(l, "step", l.drawn)
	if a := s.draw(l, m); a != nil {
		a.name = s.name
		l.take(m, a)
	}
}

// harm is what happens to a memory that no verb does.
type harm string

const (
	flips harm = "flips" // of a file flip
	loss  harm = "loss"  // files are there no more, or older ones
)

// noteWrites checks the versions that a person wrote.
func (l *life) noteWrites(m *machine, wrote []*version) {
	for _, v := range wrote {
		if v.env.Valid() || len(wrote) == 1 {
			l.focus = focus{v.scope, v.env.Key.String()}
		}
		if v.step != "link" && v.step != moveFromOther || !isHistory(v, wrote) {
			l.checkStamped(v)
		}
	}
}

// isHistory reports whether a version that a link or a move from another store brought has the time
// that it had: that of a deletion, or of a version that has a later one.
func isHistory(v *version, wrote []*version) bool {
	return !v.env.Valid() || slices.ContainsFunc(wrote, func(later *version) bool {
		return later.scope == v.scope && later.env.Key == v.env.Key && later.env.TS > v.env.TS
	})
}

// drawMachine draws a machine that may still do something, often the one that did last.
func (l *life) drawMachine() *machine {
	if l.awake != nil && !l.awake.isGone && l.draw("goes on", 3) == 2 {
		return l.awake
	}
	return pick(l, "machine", l.alive())
}

// act is a step that is ready to be taken.
type act struct {
	name      string
	at        string   // the scope in whose directory it runs
	args      []string // of a verb
	do        func()   // for a step that is no verb
	isCarried bool     // it brings versions from elsewhere, and writes none
	harm      harm
	isImport  bool
	isLook    bool // it writes nothing that counts as a person's write
	done      func(r result)
}

// take takes a step, and looks what it has done.
func (l *life) take(m *machine, a *act) {
	l.runs[a.name]++
	s := &taken{name: a.name, gained: map[string]bool{},
		harm: a.harm, isPersons: !a.isCarried && !a.isLook}
	if a.do != nil {
		l.rt.Logf("%s: %s", m.name, a.name)
		a.do()
		m.isHarmed = m.isHarmed || a.harm != ""
		if wrote := l.look(m, s); a.isImport {
			l.checkBesides(m, wrote)
			m.commands = append(m.commands, command{a.name, s.gained, false})
		}
		return
	}
	before := l.files(m)
	held, words := l.contents(m), l.wordsAt(m, a.at)
	r := l.runFaulty(m, a)
	s.isAcknowledged, s.endsAnother = r.isStored(), isHalfDone(before)
	wrote := l.look(m, s)
	l.checkRefusal(m, a, r, before)
	if !s.endsAnother {
		l.checkFull(m, r, held)
	}
	if s.isPersons && s.isAcknowledged {
		l.noteWrites(m, wrote)
	}
	l.noteOwed(m, a, r, words)
	if l.noteCommand(m, a, r, s); a.isImport {
		l.checkBesides(m, wrote)
	}
	if a.done != nil {
		a.done(r)
	}
}

// runFaulty runs a verb that now and then is killed, or meets a full disk.
func (l *life) runFaulty(m *machine, a *act) result {
	call := 0
	if !l.isBegun {
		return l.run(m, a.at, a.args...)
	}
	kind := pick(l, "fault", faults)
	if kind != "" {
		call = l.between("at call", 1, 40)
	}
	if call > 0 {
		l.wake(m)
		before := l.segmentFiles()
		hit := l.fail(kind, call)
		defer disk.SetHook(nil)
		r := l.run(m, a.at, a.args...)
		if *hit {
			l.noteUnkept(before)
			l.runs[kind+" "+a.name]++
			l.rt.Logf("%s at call %d", kind, call)
		}
		r.isKilled, r.isFull = *hit && kind == "killed", *hit && kind == "full"
		if *hit {
			m.cut = append(m.cut, log.StampOf(l.clock(m)))
		}
		return r
	}
	return l.run(m, a.at, a.args...)
}
