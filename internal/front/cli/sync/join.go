package sync

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/log"
)

// initAt makes a depot, and exchanges with it.
func (s *syncing) initAt(d places.Dest) error {
	info, err := s.makeSealed(d)
	if err != nil {
		return err
	}
	return s.add(d, info.ID)
}

// makeSealed makes a sealed depot and, the first time, the key.
func (s *syncing) makeSealed(d places.Dest) (info depot.Info, err error) {
	keys, err := s.keys()
	if err != nil {
		return info, err
	}
	isNew := len(keys) == 0
	isFirst := len(s.places.List) == 0
	if isNew {
		keys = []parcel.Key{parcel.New()}
		if err := parcel.Save(s.keyPath(), keys); err != nil {
			return info, err
		}
	}
	key := keys[len(keys)-1] // the newest: an older one may be known to a thief
	if info, err = newInfo(key); err == nil {
		err = s.make(d, info)
	}
	if isNew && err != nil {
		// A crash before this leaves a key that seals the next depot.
		return info, errors.Join(err, os.Remove(s.keyPath()))
	}
	switch {
	case err != nil:
	case !isNew && !isFirst: // else nobody may have seen it yet
	case s.a.AsJSON():
		s.made = key.String()
	default:
		s.a.Say(s.cmd, "the key, to be entered on your other machines:")
		_, err = fmt.Fprintln(s.cmd.OutOrStdout(), key)
	}
	return info, err
}

func (s *syncing) make(d places.Dest, info depot.Info) error {
	o, err := s.open(d, &info)
	if err != nil {
		return err
	}
	return o.close()
}

// join takes part in a depot.
func (s *syncing) join(d places.Dest) error {
	o, err := s.open(d, nil)
	if err != nil {
		return err
	}
	info := o.Info()
	if err := cmp.Or(o.close(), sealed(d, info)); err != nil {
		return err
	}
	if _, err := s.keyOf(d, info); err != nil {
		return err
	}
	return s.add(d, info.ID)
}

// keyOf returns the key of a depot, for which it asks where this machine has not got it.
func (s *syncing) keyOf(d places.Dest, info depot.Info) (key parcel.Key, err error) {
	keys, err := s.keys()
	if err != nil {
		return key, err
	}
	if key, err = s.keyFor(keys, d, info); err == nil {
		return key, nil
	}
	if key, err = s.ask(); err != nil {
		return key, err
	}
	if _, err := s.keyFor([]parcel.Key{key}, d, info); err != nil {
		return key, app.BadInput("the key", "the depot was sealed with another one",
			"it was printed where the depot was made")
	}
	return key, parcel.Save(s.keyPath(), append(keys, key))
}

// ask reads the key from the file that is named, or asks for it.
func (s *syncing) ask() (key parcel.Key, err error) {
	if s.keyFile != "" {
		return s.readKey()
	}
	if !app.IsTerminal(s.cmd) {
		return key, app.BadInput(app.Named(s.cmd),
			"the key of this depot is entered at a terminal",
			"run it in a terminal, without a pipe; in a script, with --key-file FILE")
	}
	fmt.Fprint(s.cmd.ErrOrStderr(), "the key, as it was printed first: ")
	line, err := bufio.NewReader(s.cmd.InOrStdin()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return key, err
	}
	if strings.TrimSpace(line) == "" {
		return key, app.BadInput("the key", "none was entered",
			"it was printed where the depot was made")
	}
	if key, err = parcel.Parse(line); err != nil {
		err = app.BadInput("the key", "it has a slip: not every character is right",
			"type all 16 groups again")
	}
	return key, err
}

// readKey reads the key from a file of this user's alone.
func (s *syncing) readKey() (key parcel.Key, err error) {
	fi, err := os.Stat(s.keyFile)
	if err != nil {
		return key, app.BadInput("--key-file", mem.Message(err), "name the file with the key that "+
			"mem sync init printed")
	}
	if fi.Mode().Perm()&0o077 != 0 {
		return key, app.BadInput(s.keyFile, "others may read it", "chmod 600 "+
			advice.Quote(s.keyFile))
	}
	text, err := os.ReadFile(s.keyFile)
	if err != nil {
		return key, err
	}
	if key, err = parcel.Parse(string(text)); err != nil {
		err = app.BadInput(s.keyFile, "it holds no key of a sync",
			"want the line mem-sync-... that mem sync init printed, alone")
	}
	return key, err
}

// add stores a destination, and exchanges with it.
func (s *syncing) add(d places.Dest, id string) error {
	now, err := s.a.Clock()
	if err != nil {
		return err
	}
	one := places.Stored{Dest: d.Text, ID: id, Since: log.StampOf(now()), Project: s.project}
	if s.project != "" {
		err = s.places.Admit(id, s.project)
	}
	if err == nil {
		err = s.places.Set(one)
	}
	if err != nil {
		return err
	}
	return s.run([]string{d.Text})
}

func (s *syncing) remove(d places.Dest) error {
	found, err := s.places.Drop(d.Text)
	if err == nil && !found {
		err = s.unknown(d)
	}
	if err != nil {
		return err
	}
	return s.a.Answer(s.cmd, map[string]string{"removed": d.Text},
		app.Report(d.Text+": no longer exchanged; the depot stays as it is"))
}

func (s *syncing) unknown(d places.Dest) error {
	return fault.Input(d.Text, "this machine does not exchange with it",
		advice.Run("sync", "join", d.Text).Then(" begins").Also(advice.Run("sync", "list").
			Then(" shows the others")))
}
