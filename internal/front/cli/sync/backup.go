package sync

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/spf13/cobra"
)

func newBackupCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "backup <destination>",
		Long: `Give a depot what it lacks of your own memory and of all your projects: every
line of their history, the files of artifacts, and settings, always encrypted.
Where no depot is, this makes one; the first time it creates the key and prints
it: keep it apart from this machine, for "mem restore" asks for it. A .mem is
not included: it lies in its repository.`,
		Example: `  mem backup /media/stick/mem
  mem backup ssh://ada@nas.example/home`,
		Args: app.WantArgs(1, 1, "one destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Send); err != nil {
				return err
			}
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			return s.backup(args[0])
		},
	}
}

func newRestoreCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "restore <destination> [<machine>]",
		Long: `Bring what "mem backup" gave a depot into the stores here. Nothing here is lost:
of two versions of a memory the later one counts, what was purged stays purged,
and settings that are here stay. Every line is read back. Where several machines
have a backup there, it lists them, and a name or an id chooses one.`,
		Example: `  mem restore /media/stick/mem
  mem restore ssh://ada@nas.example/home laptop`,
		Args: app.WantArgs(1, 2, "a destination and, where several have a backup there, a machine"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Recover); err != nil {
				return err
			}
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			return s.restore(args[0], strings.Join(args[1:], ""))
		},
	}
}

// backup sends to a depot what it lacks of every store of this person.
func (s *syncing) backup(dest string) error {
	d, err := places.ParseDest(dest)
	if err := cmp.Or(err, s.outside(d)); err != nil {
		return err
	}
	o, err := s.open(d, nil)
	if errors.Is(err, errNoDepot) {
		_, refused := s.a.Person(policy.Deposit)
		if errors.Is(refused, policy.ErrUnattended) { // as of cron, and a disk that is not mounted
			return app.Hinted(err, advice.Say("wait until it is copied or mounted; "+
				"for a new one, ").Run("backup", "--yes", d.Text))
		}
		if err = refused; err == nil {
			_, err = s.makeSealed(d)
		}
		if err == nil {
			o, err = s.open(d, nil)
		}
	}
	if err != nil {
		return err
	}
	sites, err := s.l.Sites.Repositories()
	if err != nil {
		return errors.Join(err, o.close())
	}
	answer := map[string]any{"dest": d.Text}
	if s.made != "" {
		answer["key"] = s.made
	}
	return s.with(d, o, func(job exchange.Job) error {
		var list []exchange.Report
		for _, one := range slices.Insert(sites, 0, s.l.Sites.User) {
			name := exchange.User
			if one.Layer == site.Project {
				name, job.Identity = one.Name(), one.Identity()
				job.Identities = one.Identities()
			}
			job.Scope = exchange.BackupScope(job.Machine.ID, name)
			rep, err := s.store(job, one, exchange.Backup)
			if s.warn(d.Text, rep); err != nil {
				return err
			}
			list = append(list, rep)
		}
		if slices.ContainsFunc(list, hasPurged) {
			there, err := o.Remains([]byte(parcel.Magic))
			if s.warnThere(d.Text, there); err != nil {
				return err
			}
			list[0].There = there
		}
		return s.answer(answer, list)
	})
}

// with calls fn with an open depot, while no other exchange runs, and closes the depot.
func (s *syncing) with(d places.Dest, o *opened, fn func(exchange.Job) error) (err error) {
	defer func() { err = cmp.Or(err, o.close()) }()
	if err := sealed(d, o.Info()); err != nil {
		return err
	}
	key, err := s.keyOf(d, o.Info())
	if err != nil {
		return err
	}
	job, err := s.job(o, key)
	if err != nil {
		return err
	}
	return s.alone(func() error { return s.explainPlace(d, fn(job)) })
}

// answer prints the sums of all stores.
func (s *syncing) answer(answer map[string]any, list []exchange.Report) error {
	var sum exchange.Report
	for _, rep := range list {
		sum.Sent, sum.Received = sum.Sent+rep.Sent, sum.Received+rep.Received
		sum.Lines, sum.Files = sum.Lines+rep.Lines, sum.Files+rep.Files
	}
	text := app.Count(sum.Sent, "line") + " sent"
	if s.cmd.Name() == "restore" {
		text = fmt.Sprintf("%s verified\t%d new", app.Count(sum.Lines, "line"), sum.Received)
	}
	answer["stores"] = list
	return s.a.Answer(s.cmd, answer, app.UnlessQuiet(app.Verbatim(
		text+"\t"+app.Count(sum.Files, "file")+"\n")))
}

// restore brings the backup of a machine here; machine "": the only one.
func (s *syncing) restore(dest, machine string) error {
	d, err := places.ParseDest(dest)
	if err != nil {
		return err
	}
	o, err := s.open(d, nil)
	if errors.Is(err, errNoDepot) {
		err = app.Hinted(err, advice.Say("wait until it is copied or mounted; ").
			Run("undo", "KEY").Then(" brings a deleted memory back"))
	}
	if err != nil {
		return err
	}
	return s.with(d, o, func(job exchange.Job) error {
		var list []exchange.Report
		var from places.Machine
		saved, rejected, err := exchange.Backups(s.cmd.Context(), job.Place, job.Key)
		s.warn(d.Text, exchange.Report{Rejected: rejected})
		if err == nil {
			saved, err = s.choose(d, saved, machine)
		}
		if err == nil {
			from = saved[0].Machine
			saved = slices.DeleteFunc(saved, (*exchange.Saved).IsUnused)
		}
		waiting, received := 0, 0
		for i := 0; err == nil && i < len(saved); i++ {
			var rep exchange.Report
			var waits bool
			rep, waits, err = s.restoreOne(job, saved[i])
			list = append(list, rep)
			if received += rep.Received; waits {
				waiting++
			}
		}
		if err == nil && len(rejected) > 0 {
			err = app.Verdict(mem.KindIO, d.Text+": segments that cannot be read may be of this "+
				"backup; the others are restored", advice.Say("look at the disk there"))
		}
		if err != nil {
			return stayed(received, err)
		}
		if waiting > 0 {
			s.a.Mention(s.cmd, fmt.Sprintf("the memories of %s wait: mem project link, typed in "+
				"the repository, uses them", app.Count(waiting, "project")))
		}
		return s.answer(map[string]any{"machine": from}, list)
	})
}

// restoreOne brings the backup of one store here. It waits where no repository uses its memories.
func (s *syncing) restoreOne(job exchange.Job, saved *exchange.Saved) (
	rep exchange.Report, waits bool, err error) {
	target, err := s.target(saved)
	if err != nil {
		return rep, false, err
	}
	job.Scope = exchange.BackupScope(saved.Machine.ID, saved.Store)
	rep, err = s.store(job, target, exchange.Restore)
	if err != nil || target.Layer != site.Project {
		return rep, false, err
	}
	if err := site.AddIdentities(target.Root, saved.Identities); err != nil {
		return rep, false, err
	}
	path, _ := site.RepositoryOf(target.Root) // an unreadable record names none
	return rep, path == "", nil
}

// target returns the store here that a backup belongs to: that of its identity, which is made where
// there is none, or without an identity the one of its name.
func (s *syncing) target(one *exchange.Saved) (*site.Site, error) {
	if one.Store == exchange.User {
		return s.l.Sites.User, nil
	}
	target := &site.Site{Layer: site.Project, Root: filepath.Join(s.l.Sites.Projects, one.Store)}
	if target.Name() != one.Store || one.Store[0] == '.' {
		return nil, fault.Input(app.OneLine(one.Store), "no name of a store",
			advice.Shell("no mem wrote that backup; name another machine behind the destination"))
	}
	if one.Identity == "" {
		return target, nil
	}
	root, err := site.MakeFor(filepath.Dir(s.l.Sites.Projects), one.Identity, nameOf(target))
	return &site.Site{Layer: site.Project, Root: root}, err
}

// choose returns the backups of a machine, by its name or the first digits of its id. Where these
// are not those of one machine, it prints all.
func (s *syncing) choose(d places.Dest, list []*exchange.Saved, machine string) (
	[]*exchange.Saved, error) {
	if len(list) == 0 {
		return nil, fault.Input(d.Text, "no backup is there",
			advice.Run("backup", d.Text).Then(", where the memory is, makes one"))
	}
	found := slices.DeleteFunc(slices.Clone(list), func(one *exchange.Saved) bool {
		return one.Machine.Name != machine && !strings.HasPrefix(one.Machine.ID, machine)
	})
	if n := len(found); n > 0 && found[0].Machine.ID == found[n-1].Machine.ID {
		return found, nil
	}
	clock, err := s.a.Clock()
	if err != nil {
		return nil, err
	}
	var rows string
	for _, one := range list {
		rows += fmt.Sprintf("%s\t%s\t%s\t%s\n", app.OneLine(one.Machine.String()),
			text.Ago(clock().Sub(one.Machine.At.Time())), app.OneLine(one.Store),
			app.Count(one.Lines, "line"))
	}
	err = s.a.Answer(s.cmd, map[string]any{"backups": list}, app.Verbatim(rows))
	if err != nil {
		return nil, err
	}
	id, why := list[0].Machine.ID, "which machine's backup?"
	if machine != "" && len(found) == 0 {
		why = "no backup there is of a machine " + strconv.Quote(machine)
	}
	return nil, fault.Input(d.Text, why,
		advice.Run("restore", d.Text, id[:min(len(id), 8)]).Then(" brings the first"))
}
