package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Any stands in a row's name for a part that may have any name.
const Any = "*"

// Table has the members that a text may have, in the order in which people read them.
type Table []Member

// Member is a row: one member that has a value.
type Member struct {
	Name    string // dotted
	Want    Want
	Default string   // as JSON; "" for none
	Kinds   []Kind   // defaults for some names in the place of Any
	Types   []string // names that a change may put in the place of Any; nil: every name
	Like    string   // the member whose value counts where this one has none
	Doc     string   // what it is, for the documentation
	Without string   // why it has no effect, in a few words; "" where it has one
	By      Decider  // of its value
	Reading bool     // it rules how layers are read as one: that of the user layer counts
	// Injecting is set where it rules what hooks inject: a project's comes before the user's.
	Injecting bool

	of     func(*Config) any    // the field that it fills
	ofType func(*TypeDecay) any // the field of the type in the place of Any
}

// Kind is the default of a member for one name in the place of [Any].
type Kind struct{ Name, Default string }

// parts returns the names on the way to a member, from the outermost.
func (m Member) parts() []string { return strings.Split(m.Name, ".") }

// covers reports whether a row begins as a path does; whole is whether it ends there too.
func (m Member) covers(path []string) (begins, whole bool) {
	parts := m.parts()
	if len(path) > len(parts) {
		return false, false
	}
	for i, name := range path {
		if parts[i] != Any && parts[i] != name {
			return false, false
		}
	}
	return true, len(path) == len(parts)
}

// rowAt returns the row of a path, and whether a path is an object on the way to one.
func (t Table) rowAt(path []string) (m Member, found, isGroup bool) {
	for _, m := range t {
		switch begins, whole := m.covers(path); {
		case whole:
			return m, true, false
		case begins:
			isGroup = true
		}
	}
	return m, false, isGroup
}

// Find returns the row of a dotted name, and the parts of the name: what [Any] stands for may have
// dots. The error is a [*Fault] without a line.
func (t Table) Find(name string) (m Member, path []string, err error) {
	for _, m := range t {
		if path, ok := m.split(name); ok {
			return m, path, nil
		}
	}
	return m, nil, &Fault{Name: name, Why: NoMember, Near: t.Suggest(strings.Split(name, "."))}
}

// CheckType refuses a path whose type no record has, with a [*Fault] without a line. A file may
// have such a member, without effect.
func (m Member) CheckType(path []string) error {
	if m.Types == nil || slices.Contains(m.Types, kindIn(path)) {
		return nil
	}
	return &Fault{Name: dotted(path), Why: "no such type: want " + Text(m.Types...).says()}
}

// split returns the parts of a dotted name that the row stands for.
func (m Member) split(name string) (path []string, ok bool) {
	before, after, wild := strings.Cut(m.Name, Any)
	if !wild {
		return m.parts(), m.Name == name
	}
	rest, begins := strings.CutPrefix(name, before)
	given, ends := strings.CutSuffix(rest, after)
	if !begins || !ends || given == "" {
		return nil, false
	}
	path = m.parts()
	path[strings.Count(before, ".")] = given
	return path, true
}

// Suggest returns the dotted name that was probably meant by a path; "" where none is near. A name
// that lacks only the objects around it is meant, else one that a few letters tell apart.
func (t Table) Suggest(path []string) string {
	best, least := "", len(strings.Join(path, "."))/2
	for _, m := range t {
		parts := m.parts()
		if n := len(parts) - len(path); n > 0 && strings.HasSuffix(m.Name, "."+dotted(path)) {
			return m.Name
		}
		if len(parts) < len(path) {
			continue
		}
		parts = parts[:len(path)]
		for i := range parts {
			if parts[i] == Any {
				parts[i] = path[i]
			}
		}
		if d := distance(dotted(parts), dotted(path)); d > 0 && d < least {
			best, least = dotted(parts), d
		}
	}
	return best
}

func dotted(path []string) string { return strings.Join(path, ".") }

// distance returns how many letters have to be added, dropped or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// NoMember is why of a [Fault] whose name no row has.
const NoMember = "no such member"

// Fault is an error in a text: its line, its member, and the reason.
type Fault struct {
	Line int    // from 1; 0: it is about a name alone
	Name string // dotted; "" where the text is no JSON object
	Why  string
	Near string // the name that was probably meant; "" for none
}

func (e *Fault) Error() string {
	text := e.Why
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

// Decider is the kind of caller that may set a member. Every row names one.
type Decider int

// The deciders: any program; a person, for what a model receives of the user's rules depends on it;
// and a person that answers a question, for a change may permit writes that were refused.
const (
	Anybody Decider = iota + 1
	Person
	Answered
)

// DeciderOf returns the decider of a member; Anybody for a name without a row.
func DeciderOf(name string) Decider {
	m, _, err := Members.Find(name)
	if err != nil {
		return Anybody
	}
	return m.By
}
