package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
)

type exchanged struct {
	Dest     string            `json:"dest"`
	Sent     int               `json:"sent"` // lines, of all stores
	Received int               `json:"received"`
	Stores   []exchange.Report `json:"stores"`
	Error    string            `json:"error,omitempty"`
}

// chosen returns the destination that an argument names, or all.
func (s *syncing) chosen(args []string) (list []places.Stored, err error) {
	switch {
	case len(args) == 0 && len(s.places.List) == 0:
		return nil, app.Verdict(mem.KindInput, "sync: there is no destination",
			advice.Run("sync", "init", "DEST").Then(" makes the first; ").
				Run("sync", "join", "DEST").Then(" takes part in that of another machine"))
	case len(args) == 0:
		return s.places.List, nil
	}
	d, err := places.ParseDest(args[0])
	if err != nil {
		return nil, err
	}
	if one := s.stored(d); one != nil {
		return []places.Stored{*one}, nil
	}
	if !strings.ContainsAny(args[0], `/\.`) {
		return nil, app.BadInput("sync "+args[0], "no such action, and no destination",
			"there is init, join, accept, late, list and remove; the list shows the destinations")
	}
	return nil, s.unknown(d)
}

// soon is run for at most a time; 0: as long as it takes. Then ssh is ended, and an exchange that
// waits for a disk is left where it is, as by a crash, for the process ends.
func (s *syncing) soon(within time.Duration, args []string) error {
	if within <= 0 {
		return s.run(args)
	}
	ctx, stop := context.WithTimeout(s.cmd.Context(), within)
	defer stop()
	s.cmd.SetContext(ctx)
	done := make(chan error, 1)
	go func() { done <- s.run(args) }()
	select {
	case err := <-done:
		if err == nil || ctx.Err() == nil {
			return err
		}
	case <-time.After(within*3/2 + time.Second/2): // lines that were read are folded in meanwhile
	}
	return app.Verdict(mem.KindLocked, fmt.Sprintf("sync: not done within %v", within),
		advice.Say("the next mem sync goes on"))
}

// run exchanges with one destination, or all.
func (s *syncing) run(args []string) error {
	list, err := s.chosen(args)
	if err != nil {
		return err
	}
	keys, err := s.keys()
	if err != nil {
		return err
	}
	return s.exchangeAll(list, keys)
}

// exchangeAll exchanges with each destination. The error is the first one; the others are warnings.
func (s *syncing) exchangeAll(list []places.Stored, keys []parcel.Key) error {
	done := []exchanged{}
	received := 0
	var first error
	for _, one := range list {
		clear(s.named)
		stores, err := s.exchange(one, keys)
		if err != nil && s.cmd.Context().Err() != nil {
			return err // the time is over, which is no fault of the destination
		}
		row := exchanged{Dest: one.Dest, Stores: stores}
		for _, rep := range stores {
			row.Sent, row.Received = row.Sent+rep.Sent, row.Received+rep.Received
			s.warn(one.Dest, rep)
		}
		received += row.Received
		err = stayed(received, err)
		if err != nil {
			row.Error = mem.Message(err)
		}
		if err != nil && first != nil {
			s.a.Tell(s.cmd, "warning", row.Error)
		}
		if noted := s.places.Note(one.Dest, row.Error); err == nil {
			err = noted
		}
		first = cmp.Or(first, err)
		done = append(done, row)
	}
	if first != nil && len(list) == 1 && s.made == "" {
		return first
	}
	first = cmp.Or(first, s.sayApart())
	answer := map[string]any{"exchanges": done}
	if s.made != "" {
		answer["key"] = s.made
	}
	return cmp.Or(s.a.Answer(s.cmd, answer, sent(done)), first)
}

// stayed returns an error that says how many lines were stored before it, by stores or destinations
// whose turn it was earlier.
func stayed(lines int, err error) error {
	if err == nil || lines == 0 {
		return err
	}
	return &mem.PartialError{Stored: lines, Total: lines, Err: err}
}

func sent(done []exchanged) app.Printer {
	return app.UnlessQuiet(app.Written(func(w io.Writer) error {
		for _, row := range done {
			if row.Error != "" {
				continue
			}
			if _, err := fmt.Fprintf(w, "%s\t%d sent\t%d received\n", row.Dest, row.Sent,
				row.Received); err != nil {
				return err
			}
		}
		return nil
	}))
}

// warn says what a person has to know of an exchange.
func (s *syncing) warn(dest string, rep exchange.Report) {
	const most = 3
	more := 0
	for _, f := range rep.Rejected {
		switch {
		case s.named[f.Segment]: // every store reads all segments
		case len(s.named) >= most:
			more++
		default:
			s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: segment %s is left out: %s", dest,
				f.Segment[:8], f.Why))
		}
		s.named[f.Segment] = true
	}
	if more > 0 {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: and %d more are left out", dest, more))
	}
	s.warnOfClocks(dest, rep)
	s.warnNamed(dest, "the version of %s replaced", rep.Replaced, "; mem history KEY has both")
	s.warnNamed(dest, "the version here replaced an unseen one of %s:", rep.Overruled,
		"; mem history KEY has both")
	s.warnNamed(dest, "a purge of %s hides a version of", rep.Hidden,
		"; mem forget KEY --purge takes it, too")
	s.warnNamed(dest, "a purge of %s does not take what was written here later, without it, as",
		rep.Later, "; mem forget KEY --purge takes it, too")
	s.warnNamed(dest, "a purge of %s took also a version, written here, of", rep.Erased, "")
	if rep.Plain > 0 && !s.plain[rep.Scope] {
		s.plain[rep.Scope] = true // each destination finds them
		s.a.Tell(s.cmd, "warning", app.Count(rep.Plain, "note")+" of an earlier mem without "+
			"letters in the id: no sync sends them; mem fsck --repair --all gives them letters")
	}
	for _, file := range rep.Remains {
		s.a.Tell(s.cmd, "warning", file+" may still hold a purged text")
	}
	s.warnThere(dest, rep.There)
	if hasPurged(rep) {
		s.a.Mention(s.cmd, fmt.Sprintf("%s: purges removed %s here and replaced %s there; "+
			"what a provider, snapshots or backups keep is not seen from here",
			dest, app.Count(rep.Purged, "version"), app.Count(rep.Cleaned, "segment")))
	}
}

// warnOfClocks says which lines from the future are not exchanged, and whose clock is wrong.
func (s *syncing) warnOfClocks(dest string, rep exchange.Report) {
	for _, late := range rep.Waiting {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: waiting: %s of %s, whose clock was "+
			"ahead, at %s; mem sync late --take takes them", dest, app.Count(late.Lines, "line"),
			app.OneLine(late.Machine.String()), late.TS))
	}
	if rep.Ahead > 0 {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: no other machine takes %s ahead of this "+
			"machine's clock; if that is right, mem fsck --repair --trust-clock gives them "+
			"a time of now",
			dest, app.Count(rep.Ahead, "line")))
	}
	if rep.Overtaken > 0 {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: another machine has taken %s of this one "+
			"with another time, and answers otherwise; mem fsck --repair sets the old ones aside",
			dest, app.Count(rep.Overtaken, "line")))
	}
	if rep.Behind != 0 {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("the clock of this machine is behind: two others "+
			"exchanged at %s and later", rep.Behind))
	}
	if rep.Taken+rep.Dropped > 0 {
		s.a.Mention(s.cmd, fmt.Sprintf("%s: %s taken, %d dropped", dest,
			app.Count(rep.Taken, "line"), rep.Dropped))
	}
	purges := 0
	for _, late := range rep.Waiting {
		purges += late.Purges
	}
	if s.late == exchange.Drop && purges > 0 {
		s.a.Mention(s.cmd, fmt.Sprintf("%s: kept waiting: %s; mem sync late --take takes them",
			dest, app.Count(purges, "purge")))
	}
	if rep.Healed > 0 {
		s.a.Mention(s.cmd, fmt.Sprintf("%s: sent again: %s that another machine could not read",
			dest, app.Count(rep.Healed, "segment")))
	}
}

// warnNamed names up to five memories that another machine changed, and counts the others.
func (s *syncing) warnNamed(dest, what string, list []exchange.Named, then string) {
	const most = 5
	for _, one := range list[:min(len(list), most)] {
		machine := "another machine"
		if one.Machine.ID != "" {
			machine = app.OneLine(one.Machine.String())
		}
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: "+what+" %s%s", dest, machine,
			app.OneLine(one.Key.Shown()), then))
	}
	if more := len(list) - most; more > 0 {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: and %d more; --json has all", dest, more))
	}
}

func hasPurged(rep exchange.Report) bool { return rep.Purged > 0 || rep.Cleaned > 0 }

// warnThere names what may hold a purged text at a destination.
func (s *syncing) warnThere(dest string, list []depot.Remain) {
	const most = 5
	for _, r := range list[:min(len(list), most)] {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: %s may still hold a purged text: %s", dest,
			app.OneLine(r.Path), app.OneLine(r.Why)))
	}
	if more := len(list) - most; more > 0 {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: and %d more; --json has all", dest, more))
	}
}

func (s *syncing) exchange(one places.Stored, keys []parcel.Key) (
	list []exchange.Report, err error) {
	d, err := places.ParseDest(one.Dest)
	if err != nil {
		return nil, err
	}
	o, err := s.open(d, nil)
	if errors.Is(err, errNoDepot) {
		return nil, app.Verdict(mem.KindIO, err.Error(),
			advice.Say("look whether it is mounted, or copied completely; ").
				Run("sync", "remove", d.Text).Then(" ends the exchange"))
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, o.close()) }()
	if err := sealed(d, o.Info()); err != nil {
		return nil, err
	}
	if o.Info().ID != one.ID {
		return nil, replaced(d, "another depot is there than before: somebody has changed it")
	}
	key, err := s.keyFor(keys, d, o.Info())
	if err != nil {
		return nil, err
	}
	list, err = s.stores(o, key, one.Project)
	if err == nil && slices.ContainsFunc(list, hasPurged) {
		list[0].There, err = o.Remains([]byte(parcel.Magic))
	}
	return list, s.explainPlace(d, err)
}

// explainPlace says what to do about an error of a depot.
func (s *syncing) explainPlace(d places.Dest, err error) error {
	if place, ok := errors.AsType[*exchange.PlaceError](err); ok {
		verb, _, _ := strings.Cut(app.Named(s.cmd), " ")
		err = app.Verdict(mem.KindIO, d.Text+": "+place.Error(),
			advice.Say("look at the disk there; the next mem "+verb+" goes on"))
	}
	return err
}
