package cli

import (
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// open finds the stores for a verb, and warns of each .mem on the way that is not used.
func (a *app) open(cmd *cobra.Command) (*mem.Layers, error) {
	if a.layers != nil {
		return a.layers, nil
	}
	if err := a.checkGlobals(); err != nil {
		return nil, err
	}
	sites, err := findSites(a, "")
	if err != nil {
		return nil, err
	}
	saySkipped(a, cmd, sites)
	a.layers, err = layersAt(a, cmd, sites)
	return a.layers, err
}

// layersAt returns the stores at these sites.
func layersAt(a *app, cmd *cobra.Command, sites site.Sites) (*mem.Layers, error) {
	opts, err := storeOptions(a, cmd)
	if err != nil {
		return nil, err
	}
	return mem.NewLayers(sites, func(site *site.Site) mem.Options {
		o := opts
		if a.now == "" && cmd.Name() != "compact" { // no compaction starts another one
			o.OnCompactionDue = compactAsync(site.Address())
		}
		return o
	}), nil
}

// storeOptions returns the options of every store that a verb opens.
func storeOptions(a *app, cmd *cobra.Command) (mem.Options, error) {
	opts, err := a.clocks()
	if err != nil {
		return opts, err
	}
	a.bar = newBar(cmd.ErrOrStderr(), a.quiet)
	opts.LockWait, opts.Progress = a.lockTimeout, a.bar.progress
	if a.lockTimeout == 0 {
		opts.LockWait = -1
	}
	opts.OnBegin, opts.Program = session.Tend, a.typed()
	logTo(a, cmd, &opts)
	return opts, nil
}

// findSites returns where the stores of a directory are: both layers, or the one that is meant.
func findSites(a *app, dir string) (site.Sites, error) {
	if a.serverRoot() == "" && isLikeURL(a.namedRoot()) {
		return site.Sites{}, &usage{what: "root",
			why:  "it looks like a URL, but mem does not know its form",
			hint: "want postgres://HOST/DATABASE?space=NAME, or a directory"}
	}
	sites, err := site.Find(a.root, dir, a.getenv)
	if errors.Is(err, site.ErrNoHome) {
		return sites, &usage{what: "root", why: err.Error(),
			hint: "give --root DIR, or name a .mem with MEM_TRUST"}
	}
	if err != nil || a.layer == "" {
		return sites, err
	}
	if sites.One != nil {
		return sites, &usage{what: "--layer " + a.layer,
			why: sites.One.Why + " names one store, which has no layers"}
	}
	only, ok := sites.OnlyLayer(a.layer)
	if !ok {
		return sites, noLayer(a.layer)
	}
	return only, nil
}

// isLikeURL reports whether somebody meant a URL, which would become a directory.
func isLikeURL(root string) bool {
	return strings.Contains(root, "://") || strings.HasPrefix(strings.Trim(root, `"'`), "postgres:/")
}

// noLayer is the error for a layer that is not there.
func noLayer(name string) error {
	why := "there is no project here"
	do := advice.Run("init").Then(" creates one in this directory").
		Also(advice.Say("so does git init"))
	if name == site.User {
		why, do = "there is no home directory", advice.Say("set HOME or XDG_DATA_HOME")
	}
	return &usage{what: name + " layer", why: why, do: do}
}

// saySkipped warns of each .mem on the way that is not used.
func saySkipped(a *app, cmd *cobra.Command, sites site.Sites) {
	if !talks(a) || a.isHook {
		return
	}
	for _, skipped := range sites.Skipped {
		a.tell(cmd, "warning", notUsed(skipped))
	}
}

// notUsed says why a .mem is not used, and what to do.
func notUsed(s site.Skipped) string {
	text := s.Root + " is not used: " + s.Why
	if s.Untrusted {
		return text + "; mem trust lists its memories and trusts it"
	}
	return text + "; name it with --root or MEM_ROOT if you trust it"
}

// inChat is the source that the guidance names. Within a client that is the conversation at hand,
// of which the environment says more.
const inChat = `"chat"`

// openSourced finds the stores for a verb that takes a source, and builds it; nil where neither a
// flag nor a client gives one.
func (a *app) openSourced(cmd *cobra.Command, flags *sourceFlags) (*mem.Layers, []byte, error) {
	l, err := a.open(cmd)
	if err != nil {
		return nil, nil, err
	}
	now, err := a.clock()
	if err != nil {
		return nil, nil, err
	}
	source, err := flags.build(cmd, log.StampOf(now()))
	from := hook.Source(a.getenv, l.Sites.Name())
	if from != nil && err == nil && (source == nil || string(source) == inChat) {
		source = from
	}
	return l, source, err
}

// openOne opens the store of a verb that works on one layer: that of the project, unless --layer
// says otherwise, or there is none. Where there are two it says which.
func (a *app) openOne(cmd *cobra.Command) (*mem.Store, error) {
	l, err := a.open(cmd)
	if err != nil {
		return nil, err
	}
	site := l.Sites.List()[0]
	if l.Layered() && !a.quiet && !a.asJSON() {
		a.tell(cmd, "hint", "this is the project layer; --layer user is the other")
	}
	return l.Open(site)
}

// openFor opens the store where a new memory of a key goes.
func openFor(l *mem.Layers, key keypath.Key) (*mem.Store, *site.Site, error) {
	site, err := l.SiteFor(key)
	if err != nil {
		return nil, nil, layerError(err, key)
	}
	s, err := l.Open(site)
	return s, site, err
}

// layerError returns the error of a write whose layer is not there with what to do.
func layerError(err error, key keypath.Key) error {
	if !errors.Is(err, mem.ErrNoLayer) {
		return err
	}
	return hinted(err, advice.Say("set HOME or XDG_DATA_HOME; --layer project puts "+
		advice.Quote(key.String())+" into the project's store"))
}

// sayLayer says on stderr which layer an answer is about, where there are two.
func sayLayer(a *app, cmd *cobra.Command, l *mem.Layers, what, name string) {
	if l.Layered() && name != "" {
		mention(a, cmd, what+" the "+name+" layer")
	}
}

// layerName returns the name of a site's layer for an answer; "" where there is one store.
func layerName(l *mem.Layers, site *site.Site) string {
	if !l.Layered() {
		return ""
	}
	return site.Layer
}

// openPersonal opens the store with the journals and cores of agents: the user's, or the only one.
func openPersonal(a *app, cmd *cobra.Command) (*mem.Store, error) {
	l, err := a.open(cmd)
	if err != nil {
		return nil, err
	}
	s, _, err := openFor(l, keypath.MustParse(keypath.AgentPrefix))
	return s, err
}
