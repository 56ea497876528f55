package edit

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Command is a command that stored something, in one store or in several.
type Command struct {
	Op, At string   // of its last operation: the name, and when that ended
	parts  []share  // none: an undo that was killed
	undid  *Command // that it took back, perhaps not all of it; nil: none that is known
}

// share is what a command stored in one store.
type share struct {
	store *mem.Store
	ran   []mem.Ran
}

// Stores are the stores in which a command is looked for: those of the call, the user's first, and
// others that a journal names.
type Stores struct {
	List []*mem.Store
	// Open opens another store by its root, if it is there; nil: there are no others.
	Open func(root string) (*mem.Store, error)
}

// LastCommand returns the last command that wrote to any of the stores of the call; for an agent
// the last one that no other agent ran, nor one of another member, for a team has one store. The
// error is ErrNothing where there is none, and wraps ErrForGood where it stored no lines that could
// be taken back, as a purge, or ErrHalf where a part of it cannot be found.
func LastCommand(c mem.Caller, in Stores) (Command, error) { return CommandOf(c, in, "") }

// CommandOf is LastCommand for the command that ended at a time, as [Command.At] has it: an undo of
// it that was cut off goes on, also where others wrote since. ErrNothing says that no journal has
// one of that time.
func CommandOf(c mem.Caller, in Stores, ended string) (cmd Command, err error) {
	var last mem.Ran
	var at *mem.Store
	for _, s := range in.List {
		r, err := lastRan(c, s, ended)
		if err != nil {
			return cmd, err
		}
		if r.At != "" && r.Turn >= last.Turn {
			last, at = r, s
		}
	}
	switch {
	case at == nil:
		return cmd, ErrNothing
	case last.Op != "" && last.TS == "":
		return cmd, &Error{cause: ErrForGood}
	case last.Command == "":
		return Command{Op: last.Op, At: last.At, parts: []share{{at, []mem.Ran{last}}}}, nil
	}
	undid, unknown := in.command(last.Undoes, at)
	cmd, err = in.command(last.Command, at)
	switch {
	case last.Undoes == "" || errors.Is(unknown, ErrNothing):
		return cmd, err
	case errors.Is(err, ErrHalf):
		cmd = Command{} // killed after its append
	case err != nil:
		return cmd, err
	}
	cmd.undid = &undid
	return cmd, unknown
}

// lastRan returns the last line of a store's journal that is of a command which wrote, of the
// caller's, and of a time, "" for any; the zero Ran for none.
func lastRan(c mem.Caller, s *mem.Store, ended string) (mem.Ran, error) {
	list, err := s.Journaled()
	for _, r := range slices.Backward(list) {
		write := policy.CountsAsWrite(r.Op)
		switch {
		case ended != "" && r.At != ended,
			c.Agent != "" && r.Agent != "" && r.Agent != c.Agent,
			c.Member != "" && r.Member != "" && r.Member != c.Member:
		case r.Op == "", r.TS != "" && (write || r.Command != ""),
			r.TS == "" && write && r.Count > 0 && r.Code == mem.KindDone:
			return r, nil
		}
	}
	return mem.Ran{}, err
}

// command returns the command of an id, which has written to one store at least. The error is
// ErrNothing where the journal of that store has no line of it.
func (in Stores) command(id string, first *mem.Store) (cmd Command, err error) {
	seen, left := map[string]bool{first.RealPath(): true}, []*mem.Store{first}
	for i := 0; i < len(left); i++ {
		list, err := left[i].Journaled()
		if err != nil {
			return cmd, err
		}
		p, named, found := share{store: left[i]}, false, false
		for _, r := range list {
			if r.Command != id {
				continue
			}
			named = true
			if found = found || r.Op != ""; r.TS != "" {
				p.ran = append(p.ran, r)
				cmd.Op, cmd.At = r.Op, max(cmd.At, r.At)
			}
			for _, root := range r.Also {
				if seen[root] {
					continue
				}
				s, err := in.at(root)
				if err != nil {
					return cmd, &Error{cause: ErrHalf}
				}
				seen[root], left = true, append(left, s)
			}
		}
		switch {
		case !named && i == 0:
			return cmd, ErrNothing
		case !found:
			return cmd, &Error{cause: ErrHalf}
		}
		cmd.parts = append(cmd.parts, p)
	}
	if cmd.Op == "" {
		return cmd, &Error{cause: ErrHalf} // no store has taken what it was to write
	}
	slices.SortFunc(cmd.parts, func(a, b share) int {
		return cmp.Or(cmp.Compare(in.rank(a.store), in.rank(b.store)),
			cmp.Compare(a.store.RealPath(), b.store.RealPath()))
	})
	return cmd, nil
}

// Written is what the last command stored, where it stored the newest version of a key.
type Written struct {
	Op     string // the command; "": it is another's
	Count  int    // keys, in all stores
	Beside []keypath.Key
}

// WrittenWith returns what the last command stored together with a key of a store: Beside has the
// other keys there. The error is as that of [LastCommand].
func WrittenWith(ctx context.Context, c mem.Caller, in Stores, s *mem.Store, key keypath.Key) (
	w Written, err error) {
	cmd, err := LastCommand(c, in)
	if err != nil {
		return w, err
	}
	isOf := false
	for _, p := range cmd.parts {
		seen := map[keypath.Key]bool{}
		err := p.store.EachStored(ctx, p.ran, func(rec log.Record) error {
			switch {
			case seen[rec.Key]:
				return nil
			case p.store == s && rec.Key == key:
				isOf = true
			case p.store == s:
				w.Beside = append(w.Beside, rec.Key)
			}
			seen[rec.Key] = true
			return nil
		})
		if err != nil {
			return Written{}, err
		}
		w.Count += len(seen)
	}
	if !isOf {
		return Written{}, nil
	}
	w.Op = cmd.Op
	return w, nil
}

func (in Stores) at(root string) (*mem.Store, error) {
	for _, s := range in.List {
		if s.RealPath() == root {
			return s, nil
		}
	}
	if in.Open == nil {
		return nil, ErrHalf
	}
	return in.Open(root)
}

// rank orders the stores of the call as they are listed, before all others.
func (in Stores) rank(s *mem.Store) int {
	if i := slices.Index(in.List, s); i >= 0 {
		return i
	}
	return len(in.List)
}
