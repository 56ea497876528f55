package sync

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// Verbs are the verbs of the package, by their names.
var Verbs = map[string]func(*app.App) *cobra.Command{
	"sync": newSyncCmd, "depot": newDepotCmd, "backup": newBackupCmd, "restore": newRestoreCmd,
}

func newSyncCmd(a *app.App) *cobra.Command {
	var within time.Duration
	cmd := &cobra.Command{
		Use: "sync [<destination>]",
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
			if _, err := s.chosen(args); err != nil {
				return err
			}
			if cmd.Flags().Changed("within") && within <= 0 {
				return app.BadInput("--within", "a time of nothing", "want a time like 2s or 5m")
			}
			return s.alone(func() error { return s.soon(within, args) })
		},
	}
	cmd.Flags().DurationVar(&within, "within", 0, "stop after a `TIME`; the next sync goes on")
	cmd.AddCommand(newSyncPlaceCmd(a, "init", "make a depot at a destination, and exchange with it",
		`Make a depot at a destination, and exchange your memory with it. The first time
this creates the key and prints it: enter it on your other machines, and keep
it where you keep passwords. Without the key nobody reads the depot.`, (*syncing).initAt),
		newSyncPlaceCmd(a, "join", "take part in a depot that another machine made",
			`Take part in a depot that another machine made. The first time this asks for
the key that "mem sync init" printed there.`, (*syncing).join),
		newSyncPlaceCmd(a, "remove", "exchange with a destination no longer",
			`Exchange with a destination no longer. Nothing at the destination is removed.`,
			(*syncing).remove), newSyncAcceptCmd(a), newSyncLateCmd(a), newSyncListCmd(a))
	return cmd
}

func newSyncPlaceCmd(a *app.App, name, short, long string,
	do func(*syncing, places.Dest) error) *cobra.Command {
	isOne, keyFile := false, ""
	cmd := &cobra.Command{
		Use: name + " <destination>", Short: short, Long: long,
		Example: "  mem sync " + name + " ~/Sync/mem\n  mem sync " + name +
			" ssh://ada@nas.example/home",
		Args: app.WantArgs(1, 1, "one destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			s.one, s.keyFile = isOne, keyFile
			dest, err := places.ParseDest(args[0])
			if err == nil {
				err = s.admit(name, dest)
			}
			if err != nil {
				return err
			}
			return s.alone(func() (err error) {
				if s.one {
					s.project, err = s.projectHere()
				}
				if name != "remove" && err == nil {
					err = s.places.Keeps(places.Stored{Dest: dest.Text, Project: s.project})
				}
				if err != nil {
					return err
				}
				return do(s, dest)
			})
		},
	}
	if name != "remove" {
		cmd.Flags().BoolVar(&isOne, "project", false,
			"exchange the memory of the project here alone")
	}
	if name == "join" {
		cmd.Flags().StringVar(&keyFile, "key-file", "",
			"read the key from a `FILE` that others cannot read, in place of the terminal")
	}
	return cmd
}

// syncing is what one call of the verb works with.
type syncing struct {
	a       *app.App
	cmd     *cobra.Command
	l       *layers.Layers
	places  *places.Places
	one     bool            // --project
	project string          // of --project, its identity
	keyFile string          // of --key-file; "": a person types the key
	late    exchange.Late   // what becomes of the lines from the future
	made    string          // the key, where this call made it and JSON has it
	named   map[string]bool // segments of the destination that a warning has named
	plain   map[string]bool // scopes of which a warning has named notes with plain ids
}

func openSync(a *app.App, cmd *cobra.Command) (*syncing, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	a.HoldsMany()
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	if aside := l.Sites.Aside; aside != nil && aside != l.Sites.Project {
		_, err := l.Open(aside)
		return nil, err
	}
	if l.Sites.User == nil {
		return nil, app.BadInput(app.Named(cmd),
			"your own memory is exchanged, and another store is named",
			"leave out --root and --layer, and unset MEM_ROOT")
	}
	state := l.Sites.Book.Dir()
	if state == "" {
		return nil, site.ErrNoState
	}
	places, err := places.Read(state)
	return &syncing{named: map[string]bool{}, plain: map[string]bool{},
		a: a, cmd: cmd, l: l, places: places}, err
}

// alone runs fn under the lock of syncs: one runs at a time on a machine.
func (s *syncing) alone(fn func() error) error {
	state := s.l.Sites.Book.Dir()
	dir, err := disk.Create(filepath.Join(state, site.SyncDir))
	if err != nil {
		return err
	}
	dir.Close()
	l := flock.New(s.places.File("lock"), flock.SetPermissions(disk.FileMode))
	got, err := l.TryLock()
	if err == nil && !got {
		err = app.Verdict(mem.KindLocked, "sync: another one runs on this machine",
			advice.Say("wait until it has ended, then run this again"))
	}
	if err != nil {
		return err
	}
	defer l.Close() // a crash releases it

	if s.places, err = places.Read(state); err != nil { // another sync may have changed it
		return err
	}
	return fn()
}

// admit refuses a caller that is no person, and a depot that is no place for one.
func (s *syncing) admit(name string, d places.Dest) error {
	if _, err := s.a.Person(policy.Join); err != nil {
		return err
	}
	if name == "remove" {
		return nil
	}
	if p := s.l.Sites.Project; s.one && (p == nil || p.Dot || p.Repo == nil) {
		return app.BadInput("--project", "the memory here is not that of a repository",
			"run it in a git repository that has no .mem")
	}
	return s.outside(d)
}

// outside refuses a depot inside of what it would hold.
func (s *syncing) outside(d places.Dest) error {
	for _, own := range []string{s.l.Sites.Home, s.l.Sites.Projects, s.l.Sites.Book.Dir()} {
		if in, err := disk.IsWithin(own, d.Path); d.Path != "" && own != "" && (in || err != nil) {
			return fault.Input(d.Text, "it lies in "+own,
				advice.Say("choose a folder outside of it"))
		}
	}
	return nil
}

func (s *syncing) keyPath() string { return s.places.File("key") }

// keys returns the keys of this machine; none where it never had one.
func (s *syncing) keys() ([]parcel.Key, error) {
	path := s.keyPath()
	switch keys, err := parcel.Load(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, parcel.ErrOpen):
		return nil, app.BadInput(path, "others may read it", "chmod 600 "+advice.Quote(path))
	case errors.Is(err, parcel.ErrKey):
		return nil, app.BadInput(path, "it is no key of a sync",
			"put it back, or remove it and join each destination again")
	default:
		return keys, err
	}
}
