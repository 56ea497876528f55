package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
)

// layersFor returns the stores of a working directory, where the hooks are on.
func layersFor(a *app.App, dir string, opts mem.Options) (*layers.Layers, error) {
	sites, err := site.Find(a.Root, dir, a.Getenv)
	if err != nil {
		return nil, err
	}
	if why := sites.WhyOff(a.Getenv); why != "" {
		return nil, fmt.Errorf("%w: %s", hook.ErrOff, why)
	}
	return layers.New(sites, func(*site.Site) mem.Options { return opts }), nil
}

// ended exchanges what a conversation in a directory has left.
func ended(a *app.App, dir string, opts mem.Options) {
	if l, err := layersFor(a, dir, opts); err == nil {
		defer l.Close() // it only reads
		a.SyncAsync(l)
	}
}

// viewOf returns the memories to inject from the stores here, and the notice for the person. It
// makes the user's store, where there is a memory here, for the record of injections.
func viewOf(a *app.App, l *layers.Layers) (*hook.View, error) {
	s, err := l.Injected()
	if err != nil {
		return nil, err
	}
	user, err := l.InjectedUser()
	if err != nil {
		return nil, err
	}
	project := l.Sites.Project
	if project == l.Sites.Aside {
		project = nil
	}
	personal := user
	if user == nil && (project == nil || !project.InRepository()) {
		personal = s
	}
	names, err := l.Reading()
	if err != nil {
		return nil, err
	}
	view := &hook.View{
		Store: s, Names: names, Layered: l.Sites.One == nil,
		Repository: project != nil && project.InRepository(),
		User:       user, Personal: personal, Project: l.Sites.Name(),
		// A repository is no place for the record of injections.
		Unrecorded: l.Sites.One == nil && l.Sites.User == nil,
		Notice: func() string {
			if project != nil {
				project.RecordRepository() // a store may be read for months and never written to
			}
			ctx := context.Background()
			return strings.Join(slices.DeleteFunc([]string{
				sayMatch(ctx, a, l), a.Queue(l).Notice(ctx), a.Queue(l).Ended(ctx),
				noticeOf(a, l)},
				func(text string) bool { return text == "" }), "; ")
		},
	}
	if view.Layered && (s.Exists() || l.Sites.Served != nil) {
		recordIn(l)
	}
	return view, nil
}

// recordIn makes the user's store, which has the record of injections: a project's is no place for
// it. Without a store, here or at a server, nothing is recorded.
func recordIn(l *layers.Layers) {
	if l.Sites.User == nil {
		return
	}
	if s, err := l.Open(l.Sites.User); err == nil && !s.Exists() {
		_, _ = s.Create()
	}
}

// noticeOf returns what a person should hear of the stores here when a session begins: that one is
// not used, or not all of it; "" for nothing.
func noticeOf(a *app.App, l *layers.Layers) string {
	for _, skipped := range l.Sites.Skipped {
		return app.NotUsed(skipped)
	}
	project := l.Sites.Project
	if project == nil {
		return ""
	}
	unseen, err := l.Unseen(context.Background(), a.Caller, project)
	if err != nil || len(unseen) == 0 {
		return ""
	}
	return app.Memories(len(unseen)) + " from other people or machines in " + project.Root +
		": not injected before mem trust has listed them"
}

// sayMatch returns for the person that begins a session that another store may be of the repository
// here; "" for none, and where that was said often enough. It names no project.
func sayMatch(ctx context.Context, a *app.App, l *layers.Layers) string {
	clock, err := a.Clock()
	if err != nil {
		return ""
	}
	id := l.MatchToShow(ctx, a.Caller, log.StampOf(clock()))
	if id == "" {
		return ""
	}
	return layers.MatchText + ": " + layers.LinkTo(id).String()
}
