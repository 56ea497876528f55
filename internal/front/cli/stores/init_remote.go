package stores

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

// makeRemote makes .mem/ here, whose memories are at a URL. Where that does not answer, .mem names
// it all the same: else the next note would be stored on this machine.
func (o *initOptions) makeRemote(a *app.App, cmd *cobra.Command, one *site.Site) error {
	if err := cmp.Or(o.checkRemote(one), policy.CheckPerson(a.Caller, policy.Share)); err != nil {
		return err
	}
	silent, err := o.tryRemote(a, cmd, one.Name())
	if err != nil {
		return err
	}
	if silent != nil && one.Remote != "" && one.Remote != o.remote {
		return silent // a typing error must not take the place of a server that answers
	}
	err = os.Mkdir(one.Root, 0o700)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// A crash from here on leaves a .mem that was not let in, which mem trust shows.
	if err := site.WriteRemote(one.Root, o.remote); err != nil {
		if made {
			undo(one.Root)
		}
		return err
	}
	one.Remote = o.remote
	if err := a.Layers.LetIn(cmd.Context(), a.Caller, one, nil); err != nil {
		return err
	}
	a.SayBeside(cmd)
	if silent != nil {
		a.Tell(cmd, "warning", one.Root+" names it nevertheless: until it answers, no memory is "+
			"stored here; mem init --remote names another one")
		return silent
	}
	return o.printRemote(a, cmd, one, made)
}

// tryRemote asks the memory at the URL; silent is why it does not answer.
func (o *initOptions) tryRemote(a *app.App, cmd *cobra.Command, project string) (silent,
	err error) {
	if site.IsServed(o.remote) {
		_, silent = a.StatServed(cmd.Context(), app.ServedAt{URL: o.remote, Project: project})
		return silent, nil
	}
	opts, err := a.StoreOptions(cmd)
	if err != nil {
		return nil, err
	}
	s, err := mem.Open(o.remote, opts)
	if err != nil {
		return nil, err
	}
	defer s.Close() // nothing was written
	_, silent = s.Stat(cmd.Context(), a.Caller)
	return silent, nil
}

// isRemote is init where .mem/ is there, and names a server: there is nothing to make.
func (o *initOptions) isRemote(a *app.App, cmd *cobra.Command, site *site.Site) error {
	if o.shared {
		return fault.Input("--shared", "the memories of this project are at "+site.Remote,
			advice.Say("everyone who clones the project shares them already").
				Also(advice.RunAlone("trust").Then(" trusts them")))
	}
	return o.printRemote(a, cmd, site, false)
}

// checkRemote refuses a URL that names no space, and a directory that holds memories itself.
func (o *initOptions) checkRemote(one *site.Site) error {
	switch {
	case o.shared:
		return app.BadInput("--remote", "it cannot be used with --shared", "")
	case errors.Is(site.CheckRemote(o.remote), site.ErrPassword):
		return app.BadInput("--remote", site.ErrPassword.Error(),
			"put it into ~/.pgpass, and leave it out of the URL")
	case site.CheckRemote(o.remote) != nil:
		return app.BadInput("--remote", site.CheckRemote(o.remote).Error(), "")
	case !one.Dot:
		return app.BadInput("--remote", "there is no directory for .mem here", "")
	case !site.IsBare(one.Root):
		return fault.Input("init", one.Root+" holds memories itself",
			advice.RunAlone("copy", one.Root, o.remote).Then(" copies them; then remove it"))
	}
	return nil
}

func (o *initOptions) printRemote(a *app.App, cmd *cobra.Command, site *site.Site,
	made bool) error {
	if !a.Quiet && !a.AsJSON() && site.InRepository() {
		a.Tell(cmd, "hint", "git add .mem; others who clone it run mem trust")
	}
	return a.Answer(cmd, createReply{Made: made, Root: site.Root}, app.Verbatim(site.Root+"\n"))
}
