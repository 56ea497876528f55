package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

func newSyncCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sync [<destination>]",
		Short: cli.DaemonVerb("sync"),
		Long: `Exchange your own memory with your other machines, over a folder that a program
copies between them (Syncthing, Dropbox, a USB stick) or over ssh. Without an
argument: over every destination. All that leaves this machine is encrypted
with a key that your machines share. docs/sync.md has the lines for cron.`,
		Example: `  mem sync init ~/Sync/mem      # on the first machine; prints the key
  mem sync join ~/Sync/mem      # on each other one; asks for the key
  mem sync`,
		Args: app.WantArgs(0, 1, "at most one destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			return s.run(args)
		},
	}
	cmd.AddCommand(newSyncPlaceCmd(a, "init", "make a depot at a destination, and exchange with it",
		`Make a depot at a destination, and exchange your memory with it. The first time
this creates the key and prints it: enter it on your other machines, and keep
it where you keep passwords. Without the key nobody reads the depot.`, (*syncing).initAt),
		newSyncPlaceCmd(a, "join", "take part in a depot that another machine made",
			`Take part in a depot that another machine made. The first time this asks for
the key that "mem sync init" printed there.`, (*syncing).join),
		newSyncPlaceCmd(a, "remove", "exchange with a destination no longer",
			`Exchange with a destination no longer. Nothing at the destination is removed.`,
			(*syncing).remove), newSyncListCmd(a))
	return cmd
}

func newSyncPlaceCmd(a *app.App, name, short, long string,
	do func(*syncing, exchange.Dest) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " <destination>", Short: short, Long: long,
		Example: "  mem sync " + name + " ~/Sync/mem\n  mem sync " + name +
			" ssh://ada@nas.example/home",
		Args: app.WantArgs(1, 1, "one destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Join); err != nil {
				return err
			}
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			dest, err := exchange.ParseDest(args[0])
			if err != nil {
				return err
			}
			return do(s, dest)
		},
	}
}

// syncing is what one call of the verb works with.
type syncing struct {
	a      *app.App
	cmd    *cobra.Command
	l      *layers.Layers
	places *exchange.Places
}

func openSync(a *app.App, cmd *cobra.Command) (*syncing, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	if l.Sites.User == nil {
		return nil, app.BadInput("sync", "--root names a store, and your own is exchanged",
			"leave out --root, and unset MEM_ROOT")
	}
	state := l.Sites.Book.Dir()
	if state == "" {
		return nil, site.ErrNoState
	}
	places, err := exchange.PlacesIn(state)
	return &syncing{a, cmd, l, places}, err
}

func (s *syncing) keyPath() string { return s.places.File("key") }

// keys returns the keys of this machine; none where it never had one.
func (s *syncing) keys() ([]parcel.Key, error) {
	keys, err := parcel.Load(s.keyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return keys, err
}

// initAt makes a depot.
func (s *syncing) initAt(d exchange.Dest) error {
	keys, err := s.keys()
	if err != nil {
		return err
	}
	isNew := len(keys) == 0
	if isNew {
		keys = []parcel.Key{parcel.New()}
		if err := parcel.Save(s.keyPath(), keys); err != nil {
			return err
		}
	}
	info, err := newInfo(keys[0])
	if err == nil {
		var o *opened
		if o, err = openDest(s.cmd.Context(), d, &info); err == nil {
			err = o.close()
		}
	}
	if isNew && err != nil {
		// A crash before this leaves a key that seals the next depot.
		return errors.Join(err, os.Remove(s.keyPath()))
	}
	if err != nil {
		return err
	}
	if isNew {
		if _, err := fmt.Fprintln(s.cmd.OutOrStdout(), keys[0]); err != nil {
			return err
		}
		s.a.Say(s.cmd, "this is the key: enter it on your other machines, after \"mem sync join\"")
	}
	return s.add(d, info.ID)
}

// join takes part in a depot.
func (s *syncing) join(d exchange.Dest) error {
	o, err := openDest(s.cmd.Context(), d, nil)
	if err != nil {
		return err
	}
	info := o.Info()
	if err := o.close(); err != nil {
		return err
	}
	keys, err := s.keys()
	if err != nil {
		return err
	}
	if _, err := keyFor(keys, d, info); err != nil {
		key, err := s.ask()
		if err != nil {
			return err
		}
		if _, err := keyFor([]parcel.Key{key}, d, info); err != nil {
			return err
		}
		if err := parcel.Save(s.keyPath(), append(keys, key)); err != nil {
			return err
		}
	}
	return s.add(d, info.ID)
}

// ask asks for the key.
func (s *syncing) ask() (key parcel.Key, err error) {
	if !app.IsTerminal(s.cmd) {
		return key, app.BadInput("sync join", "the key is entered at a terminal",
			"run it in a terminal, without a pipe")
	}
	fmt.Fprint(s.cmd.ErrOrStderr(), "the key, as mem sync init printed it: ")
	line, err := bufio.NewReader(s.cmd.InOrStdin()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return key, err
	}
	if key, err = parcel.Parse(line); err != nil {
		err = app.BadInput("the key", "it has a slip: not every character is right",
			"type all 16 groups again")
	}
	return key, err
}

// add stores a destination, and exchanges with it.
func (s *syncing) add(d exchange.Dest, id string) error {
	now, err := s.a.Clock()
	if err != nil {
		return err
	}
	if err := s.places.Set(exchange.Stored{Dest: d.Text, ID: id, Since: stampOf(now)}); err != nil {
		return err
	}
	return s.run([]string{d.Text})
}

func (s *syncing) remove(d exchange.Dest) error {
	found, err := s.places.Drop(d.Text)
	if err == nil && !found {
		err = s.unknown(d)
	}
	if err != nil {
		return err
	}
	return s.a.Answer(s.cmd, map[string]string{"removed": d.Text}, app.Line(d.Text))
}

func (s *syncing) unknown(d exchange.Dest) error {
	return &exchange.DestError{Dest: d.Text, Why: "this machine does not exchange with it",
		Do: advice.Run("sync", "join", d.Text).Then(" begins").
			Also(advice.Run("sync", "list").Then(" shows the others"))}
}

// exchanged is the exchange with one destination.
type exchanged struct {
	Dest     string            `json:"dest"`
	Sent     int               `json:"sent"` // lines, of all stores
	Received int               `json:"received"`
	Stores   []exchange.Report `json:"stores"`
	Error    string            `json:"error,omitempty"`
}

// run exchanges with one destination, or all.
func (s *syncing) run(args []string) error {
	list := s.places.List
	if len(args) == 1 {
		d, err := exchange.ParseDest(args[0])
		if err != nil {
			return err
		}
		list = nil
		for _, one := range s.places.List {
			if one.Dest == d.Text {
				list = append(list, one)
			}
		}
		if len(list) == 0 {
			return s.unknown(d)
		}
	}
	if len(list) == 0 {
		return app.Verdict(mem.KindInput, "sync: there is no destination",
			advice.Run("sync", "init", "DEST").Then(" makes the first"))
	}
	keys, err := s.keys()
	if err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock() // a crash releases it
	return s.exchangeAll(list, keys)
}

// lock lets one sync run at a time on a machine.
func (s *syncing) lock() (func() error, error) {
	l := flock.New(s.places.File("lock"), flock.SetPermissions(disk.FileMode))
	got, err := l.TryLock()
	if err == nil && !got {
		err = app.Verdict(mem.KindLocked, "sync: another one runs on this machine", nil)
	}
	return l.Close, err
}

func (s *syncing) exchangeAll(list []exchange.Stored, keys []parcel.Key) error {
	var done []exchanged
	var first error
	for _, one := range list {
		stores, err := s.exchange(one, keys)
		row := exchanged{Dest: one.Dest, Stores: stores}
		for _, rep := range stores {
			row.Sent, row.Received = row.Sent+rep.Sent, row.Received+rep.Received
			s.warn(one.Dest, rep)
		}
		if err != nil {
			row.Error = mem.Message(err)
			if len(list) > 1 {
				s.a.Tell(s.cmd, "warning", one.Dest+": "+row.Error)
			}
			if first == nil {
				first = err
			}
		}
		done = append(done, row)
	}
	if first != nil && len(list) == 1 {
		return first
	}
	err := s.a.Answer(s.cmd, map[string]any{"exchanges": done}, sent(done))
	if err != nil {
		return err
	}
	return first
}

// sent prints a line for each exchange.
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
	for _, f := range rep.Rejected {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: segment %s is left out: %s", dest,
			f.Segment[:8], f.Why))
	}
	for _, late := range rep.Waiting {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: %d lines of %s wait: its clock is ahead, at %s",
			dest, late.Lines, late.Machine, late.TS))
	}
	for _, file := range rep.Remains {
		s.a.Tell(s.cmd, "warning", file+" may still hold a purged text")
	}
	if rep.Purged > 0 || rep.Cleaned > 0 {
		s.a.Mention(s.cmd, fmt.Sprintf("%s: a purge removed %d versions here and replaced %d "+
			"segments there; a provider, .stversions, .git or a snapshot may keep old ones",
			dest, rep.Purged, rep.Cleaned))
	}
}

// exchange exchanges with one destination.
func (s *syncing) exchange(one exchange.Stored, keys []parcel.Key) (
	list []exchange.Report, err error) {
	d, err := exchange.ParseDest(one.Dest)
	if err != nil {
		return nil, err
	}
	o, err := openDest(s.cmd.Context(), d, nil)
	if e, ok := errors.AsType[*exchange.DestError](err); ok && e.Why == noDepot {
		e.Do = advice.Say("look whether it is mounted, or copied completely; ").
			Run("sync", "remove", d.Text).Then(" ends the exchange")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	if info := o.Info(); info.ID != one.ID {
		return nil, &exchange.DestError{Dest: d.Text, Why: "another depot is there than before",
			Do: advice.Run("sync", "join", d.Text).Then(" takes part in this one")}
	}
	key, err := keyFor(keys, d, o.Info())
	if err != nil {
		return nil, err
	}
	return s.stores(s.cmd.Context(), o, key)
}
