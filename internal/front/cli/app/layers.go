package app

import (
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// Open finds the stores for a verb, and warns of each .mem on the way that is not used.
func (a *App) Open(cmd *cobra.Command) (*layers.Layers, error) {
	if a.Layers != nil {
		return a.Layers, nil
	}
	if err := a.Check(); err != nil {
		return nil, err
	}
	sites, err := a.FindSites("")
	if err != nil {
		return nil, err
	}
	a.SaySkipped(cmd, sites)
	a.Layers, err = a.layersAt(cmd, sites)
	return a.Layers, err
}

func (a *App) layersAt(cmd *cobra.Command, sites site.Sites) (*layers.Layers, error) {
	opts, err := a.StoreOptions(cmd)
	if err != nil {
		return nil, err
	}
	return layers.New(sites, func(site *site.Site) mem.Options {
		o := opts
		if a.now == "" && cmd.Name() != "compact" { // no compaction starts another one
			o.OnCompactionDue = compactAsync(site.Address())
		}
		return o
	}), nil
}

// StoreOptions returns the options of every store that a verb opens.
func (a *App) StoreOptions(cmd *cobra.Command) (mem.Options, error) {
	opts, err := a.Clocks()
	if err != nil {
		return opts, err
	}
	a.Bar = NewBar(cmd.ErrOrStderr(), a.Quiet)
	opts.LockWait, opts.Progress = a.lockTimeout, a.Bar.Progress
	if a.lockTimeout == 0 {
		opts.LockWait = -1
	}
	opts.OnBegin, opts.Program = session.Tend, a.Typed()
	a.LogTo(cmd, &opts)
	return opts, nil
}

// FindSites returns where the stores of a directory are: both layers, or the one that is meant.
func (a *App) FindSites(dir string) (site.Sites, error) {
	if a.ServerRoot() == "" && isLikeURL(a.NamedRoot()) {
		return site.Sites{}, BadInput("root", "it looks like a URL, but mem does not know its form",
			"want https://HOST[:PORT]/TENANT, postgres://HOST/DATABASE?space=NAME, "+
				"or a directory")
	}
	sites, err := site.Find(a.Root, dir, a.Getenv)
	if errors.Is(err, site.ErrNoHome) {
		return sites, BadInput("root", err.Error(),
			"give --root DIR, or name a .mem with MEM_TRUST")
	}
	if err != nil || a.Layer == "" {
		return sites, err
	}
	if sites.One != nil {
		return sites, BadInput("--layer "+a.Layer,
			sites.One.Why+" names one store, which has no layers", "")
	}
	only, ok := sites.OnlyLayer(a.Layer)
	if !ok {
		return sites, NoLayer(a.Layer)
	}
	return only, nil
}

// isLikeURL reports whether somebody meant a URL, which would become a directory.
func isLikeURL(root string) bool {
	host, _, _ := strings.Cut(root, "/")
	_, port, found := strings.Cut(host, ":")
	isPort := found && len(port) > 1 && strings.Trim(port, "0123456789") == ""
	return strings.Contains(root, "://") || isPort ||
		strings.HasPrefix(strings.Trim(root, `"'`), "postgres:/")
}

// NoLayer is the error for a layer that is not there.
func NoLayer(name string) error {
	why := "there is no project here"
	do := advice.Run("init").Then(" creates one in this directory").
		Also(advice.Say("so does git init"))
	if name == site.User {
		why, do = "there is no home directory", advice.Say("set HOME or XDG_DATA_HOME")
	}
	return fault.Input(name+" layer", why, do)
}

// SaySkipped warns of each .mem on the way that is not used, and of one whose server is not.
func (a *App) SaySkipped(cmd *cobra.Command, sites site.Sites) {
	if !a.Talks() || a.IsHook {
		return
	}
	for _, skipped := range sites.Skipped {
		a.Tell(cmd, "warning", NotUsed(skipped))
		if skipped.Marked != nil {
			a.Advise(cmd, "hint", skipped.Marked.Advice())
		}
	}
	if one := sites.One; one != nil && one.Elsewhere != "" {
		a.Tell(cmd, "warning", one.Why+" names the directory "+one.Root+" alone, and its memories "+
			"are at "+one.Elsewhere+": leave "+one.Why+" out to use those")
	}
}

// NotUsed says why a .mem is not used, and what to do.
func NotUsed(s site.Skipped) string {
	text := s.Root + " is not used: " + s.Why
	if s.Marked != nil {
		return text
	}
	if s.Untrusted {
		return text + "; mem trust shows what it has and trusts it"
	}
	return text + "; name it with --root or MEM_ROOT if you trust it"
}

// inChat is the source that the guidance names. Within a client that is the conversation at hand,
// of which the environment says more.
const inChat = `"chat"`

// OpenSourced finds the stores for a verb that takes a source, and builds it; nil where neither a
// flag nor a client gives one.
func (a *App) OpenSourced(cmd *cobra.Command, flags *SourceFlags) (*layers.Layers, []byte, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, nil, err
	}
	now, err := a.Clock()
	if err != nil {
		return nil, nil, err
	}
	source, err := flags.Build(a, cmd, log.StampOf(now()))
	from := hook.Source(a.Getenv, l.Sites.Name())
	if from != nil && err == nil && (source == nil || string(source) == inChat) {
		source = from
	}
	return l, source, err
}

// OpenOne opens the store of a verb that works on one layer: that of the project, unless --layer
// says otherwise, or there is none. Where there are two it says which.
func (a *App) OpenOne(cmd *cobra.Command) (*mem.Store, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	site := l.Sites.List()[0]
	if l.Layered() && !a.Quiet && !a.AsJSON() {
		a.Tell(cmd, "hint", "this is the project layer; --layer user is the other")
	}
	return l.Open(site)
}

// OpenFor opens the store where a new memory of a key goes.
func OpenFor(l *layers.Layers, key keypath.Key) (*mem.Store, *site.Site, error) {
	site, err := l.SiteFor(key)
	if err != nil {
		return nil, nil, LayerError(err, key)
	}
	s, err := l.Open(site)
	return s, site, err
}

// LayerError returns the error of a write whose layer is not there with what to do.
func LayerError(err error, key keypath.Key) error {
	if !errors.Is(err, mem.ErrNoLayer) {
		return err
	}
	return Hinted(err, advice.Say("set HOME or XDG_DATA_HOME; --layer project puts "+
		advice.Quote(key.String())+" into the project's store"))
}

// SayLayer says on stderr which layer an answer is about, where there are two.
func (a *App) SayLayer(cmd *cobra.Command, l *layers.Layers, what, name string) {
	if l.Layered() && name != "" {
		a.Mention(cmd, what+" the "+name+" layer")
	}
}

// SayUnfiled says that a memory stored outside of every project reaches no conversation in one.
func (a *App) SayUnfiled(cmd *cobra.Command, l *layers.Layers, key keypath.Key) {
	at := &l.Sites
	if a.Talks() && at.One == nil && at.Project == nil && at.Served == nil &&
		layers.IsUnfiled(key) {
		a.Tell(cmd, "hint", "stored in no project, so no session in a project gets it; keys below "+
			"/user and mem note --scope user hold everywhere")
	}
}

// OpenPersonal opens the store with the journals and cores of agents: the user's, or the only one.
func (a *App) OpenPersonal(cmd *cobra.Command) (*mem.Store, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	s, _, err := OpenFor(l, keypath.MustParse(keypath.AgentPrefix))
	return s, err
}
