package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// copyFault returns the error of a copy or a move that is refused. The cause is the error of the
// backend that refused, if one did.
func copyFault(verb mem.Verb, why string, do advice.List, cause error) error {
	return &fault.Fault{Code: string(mem.KindInput), What: verb.String(), Why: why, Do: do,
		Err: cause}
}

// DifferenceError is what two stores do not have in common after a copy.
type DifferenceError struct {
	From, To string // their names
	Prefixes []PrefixDifference
}

func (e *DifferenceError) Error() string {
	lines := make([]string, len(e.Prefixes))
	for i, d := range e.Prefixes {
		lines[i] = fmt.Sprintf("copy: %s differs: memories in %s: %d, in %s: %d",
			keypath.Show(d.Prefix), e.From, d.From, e.To, d.To)
		if d.From == d.To {
			lines[i] += ", with other lines"
		}
	}
	return strings.Join(lines, "\n")
}

// Kind is that of a store that cannot be read as it was written.
func (e *DifferenceError) Kind() string { return string(mem.KindIO) }

// Advice returns what to do.
func (e *DifferenceError) Advice() advice.List {
	return advice.Say("do not use " + e.To + " yet").Also(advice.Run("fsck").
		Then(" on both finds the damaged one; " + e.From + " is unchanged"))
}

// LackError is a copy without what the source has and cannot give: lines that cannot be read, and
// files of artifacts that are missing or altered. All else is copied.
type LackError struct {
	From, To     string // their names
	Lines, Files int
}

func (e *LackError) Error() string {
	return fmt.Sprintf("copy: %s is not all of %s: lines that cannot be read: %d, files of "+
		"artifacts that are missing or altered: %d", e.To, e.From, e.Lines, e.Files)
}

// Kind is that of a store that cannot be read as it was written.
func (e *LackError) Kind() string { return string(mem.KindIO) }

// Advice returns what to do.
func (e *LackError) Advice() advice.List {
	return advice.RunAlone("fsck", "--root", e.From).Then(" lists them; all else is copied")
}

// busyFault returns the error of a copy that came to no end: the source was written to all the
// time, or forgot something meanwhile.
func busyFault(why string, do advice.List) error {
	return &fault.Fault{Code: string(mem.KindLocked), What: "copy", Why: why, Do: do}
}

func (r *copying) busy() error {
	return busyFault(r.From.Name+" was written to meanwhile, and "+r.To.Name+
		" may hold something else",
		advice.Say("remove "+r.To.Name+", and copy again while no program writes"))
}

func noStore(name, why string) error {
	return copyFault(policy.Copy, why+name,
		advice.Run("where", "--all").Then(" lists the stores"), nil)
}

func notEmpty(name string, cause error) error {
	return copyFault(policy.Copy, name+" is not empty",
		advice.Say("name a new place; where an earlier copy was cut short, remove "+name+
			" first").Also(advice.Run("export").Then(" and ").Run("import").
			Then(" add live memories to a store that is not empty")), cause)
}

// checkSides refuses a source that is not there, and a target that is, or lies in, the source.
func checkSides(ctx context.Context, from, to Side) error {
	if err := checkApart(ctx, policy.Copy, from.Store, to.Store); err != nil {
		return err
	}
	if !from.Store.Exists() {
		return noStore(from.Name, "no store at ")
	}
	return nil
}

// checkApart refuses two stores of which one is, or lies in, the other, however they are named.
func checkApart(ctx context.Context, verb mem.Verb, from, to *mem.Store) error {
	inside, err := from.Surrounds(ctx, to)
	if err != nil {
		return err
	}
	around, err := to.Surrounds(ctx, from)
	switch {
	case err != nil:
		return err
	case inside && around:
		return copyFault(verb, "from and to are the same store",
			advice.Run("where", "--all").Then(" lists the others"), nil)
	case inside || around:
		return copyFault(verb, "one of the stores would be inside the other",
			advice.Say("name a place beside "+from.Path()), nil)
	}
	return nil
}

var errFound = errors.New("found")

// checkEmpty refuses a target that has versions, or lines that cannot be read.
func checkEmpty(ctx context.Context, to Side) error {
	damaged, err := walk(ctx, to.Store, func(log.Record) error { return errFound })
	if damaged > 0 || errors.Is(err, errFound) {
		return notEmpty(to.Name, nil)
	}
	return err
}
