package sync

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
)

// checkText is sealed in the description of a depot: a key that opens it is the right one.
const checkText = "mem-sync"

// errNoDepot is wrapped for a place that is no depot.
var errNoDepot = errors.New("no depot is there")

type opened struct {
	place
	close func() error
}

// place is a depot in which leftovers can be looked for.
type place interface {
	exchange.Place
	Remains(begin []byte) ([]depot.Remain, error)
}

// open opens the depot at a destination, or with info makes one there.
func (s *syncing) open(d places.Dest, info *depot.Info) (o *opened, err error) {
	if d.Path == "" {
		o, err = overSSH(s.cmd.Context(), d, info)
	} else {
		var f *depot.Folder
		if info != nil {
			f, err = depot.MakeFolder(d.Path, *info)
		} else {
			f, err = depot.OpenFolder(d.Path)
		}
		if err == nil {
			o = &opened{f, f.Close}
		}
	}
	return o, s.explain(d, err)
}

// stored returns what this machine has stored of a destination; nil: nothing.
func (s *syncing) stored(d places.Dest) *places.Stored {
	for i, one := range s.places.List {
		if one.Dest == d.Text {
			return &s.places.List[i]
		}
	}
	return nil
}

// same returns the arguments of a verb of a hint, by which as much of the memory goes to a
// destination as does already, or would by this call.
func (s *syncing) same(verb string, d places.Dest) []string {
	one := s.stored(d)
	args := []string{verb}
	if s.one || one != nil && one.Project != "" {
		args = append(args, "--project")
	}
	return append(args, d.Text)
}

// replaced refuses a depot that is another one than before.
func replaced(d places.Dest, why string) error {
	return fault.Input(d.Text, why, advice.Run("sync", "remove", d.Text).
		Then(" ends the exchange; look at what is there now before you join it"))
}

// explain says what to do about a destination that cannot be opened.
func (s *syncing) explain(d places.Dest, err error) error {
	switch {
	case errors.Is(err, depot.ErrNone):
		return fault.Wrap(mem.KindInput, d.Text, errNoDepot,
			advice.Say("wait until it is copied or mounted; for a new one, ").
				Run("sync", s.same("init", d)...))
	case errors.Is(err, depot.ErrPartial):
		return fault.Input(d.Text,
			"segments of a depot are there, but it is not copied completely",
			advice.Say("wait until "+depot.InfoFile+" is there, then ").
				Run("sync", s.same("join", d)...))
	case errors.Is(err, depot.ErrOther):
		return fault.Input(d.Text, err.Error(),
			advice.Say("choose a folder of its own, as "+
				advice.Quote(filepath.Join(d.Text, "mem"))))
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, fs.ErrExist) && d.Path != "":
		return fault.Input(d.Text, mem.Message(err),
			advice.Say("choose a folder that you may write to"))
	case errors.Is(err, depot.ErrMade):
		return fault.Input(d.Text, "a depot is there already",
			advice.Run("sync", s.same("join", d)...).Then(" takes part in it"))
	case errors.Is(err, depot.ErrNewer):
		return fault.Input(d.Text, "a newer mem made the depot",
			advice.Say("install the newer mem"))
	case errors.Is(err, fs.ErrNotExist) && d.Path != "":
		return fault.Input(d.Text, "the folder above it is not there",
			advice.Say("mount it, or make "+advice.Quote(filepath.Dir(d.Path))))
	case errors.Is(err, depot.ErrNoServer):
		return noServer(d, err.Error())
	}
	return err
}

func noServer(d places.Dest, why string) error {
	to := advice.Quote(d.Host)
	if d.Port != "" {
		to = "-p " + d.Port + " " + to
	}
	return app.Verdict(mem.KindIO, why, advice.Say("look whether ssh "+to+
		" logs in without a question, and memd is in the PATH there"))
}

func newInfo(key parcel.Key) (depot.Info, error) {
	return depot.NewInfo(func(id string) ([]byte, error) { return key.Seal(id, []byte(checkText)) })
}

func (s *syncing) keyFor(keys []parcel.Key, d places.Dest, info depot.Info) (key parcel.Key,
	err error) {
	for _, key := range keys {
		if text, err := key.Open(info.ID, info.Check); err == nil && string(text) == checkText {
			return key, nil
		}
	}
	return key, fault.Input(d.Text, "it was sealed with another key",
		advice.Run("sync", s.same("join", d)...).
			Then(" asks for the key that mem sync init printed"))
}

// notSealed is the fault of a depot that an earlier mem made without encryption.
const notSealed = "the depot is not sealed: everybody with access to it reads and writes there"

// sealed refuses a depot without encryption.
func sealed(d places.Dest, info depot.Info) error {
	if !info.Plain {
		return nil
	}
	return fault.Input(d.Text, notSealed,
		advice.Run("sync", "remove", d.Text).
			Then(" ends the exchange; mem sync init makes a sealed one at another place"))
}
