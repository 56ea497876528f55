package agents

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/internal/view/native"
	"github.com/spf13/cobra"
)

// hookLockWait is how long a note from a prompt waits for other writers; then it is proposed.
const hookLockWait = 250 * time.Millisecond

type hookOptions struct {
	agent             string
	noCapture, bridge bool
}

func NewHookCmd(a *app.App) *cobra.Command {
	o := &hookOptions{}
	cmd := &cobra.Command{
		Use:         "hook <client>",
		Short:       "answer a hook of a coding agent",
		Annotations: app.GivenArgs(app.Text, app.Input),
		Long: `Read a hook's JSON on standard input and print the memories to inject, or
nothing: at the start of a conversation the most important ones, at a prompt
those that are relevant to it and were not injected before. "mem setup" makes
clients run it. It takes at most 3 s at a start and 1 s otherwise
(inject.start_ms, inject.prompt_ms); "mem injections" lists what that left out.
A typed prompt that asks to remember something is stored, and facts
from prompts and commands are proposed, unless --no-capture is given.
--agent also injects that agent's core and its journal of a week at the start
of each conversation, and --bridge, below these, the facts that other clients
keep of the project in their own memory. Without an event that it can read it
says so on stderr. The exit code is always 0.

Clients: ` + hookClients() + `.`,
		Example: `  echo '{"hook_event_name":"SessionStart"}' | mem hook claude-code
  mem injections`,
		Args: app.WantArgs(1, 1, "one client: "+hookClients()),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	app.RegisterAgent(cmd, &o.agent, "the `AGENT` that the client runs")
	cmd.Flags().BoolVar(&o.noCapture, "no-capture", false, "keep nothing of prompts and commands")
	cmd.Flags().BoolVar(&o.bridge, "bridge", false,
		"at a start also inject facts from the own memories of other clients")
	return cmd
}

func hookClients() string { return setup.Names(setup.HookClients()) }

func (o *hookOptions) run(a *app.App, cmd *cobra.Command, name string) error {
	client := setup.ClientByName(name)
	if client == nil || !client.HasHooks() {
		return noClient("hook", name, setup.HookClients())
	}
	if a.Served != nil {
		return o.serve(a, cmd, client)
	}
	opts, err := a.Clocks()
	if err != nil {
		return err
	}
	h := &hook.Hook{Client: client, Agent: a.Caller.Agent, Deadline: hookDeadline(a.Getenv),
		Zone: time.Local, Began: a.Began}
	opts.LockWait = hookLockWait
	box := a.Inbox()
	if !o.noCapture && !site.IsOffByEnv(a.Getenv) {
		h.Capture = hook.Capture{Inbox: box, Getenv: a.Getenv}
	}
	var opened atomic.Pointer[layers.Layers]
	h.Open = func(dir string) (*hook.View, error) {
		layers, err := layersFor(a, dir, opts)
		if err != nil {
			return nil, err
		}
		opened.CompareAndSwap(nil, layers)
		return o.view(a, layers, dir, client, box)
	}
	h.Ended = func(dir string) { ended(a, dir, opts) }
	h.Complain = func(msg string) { a.Say(cmd, "hook: "+msg) }
	if a.WantsLog() {
		a.LogTo(cmd, &opts)
		h.Debug = func(msg string) { opts.Log.Debug(msg, logline.Component, "hook") }
	}
	if o.agent != "" {
		o.keep(a, h)
	}
	late := h.Run(cmd.InOrStdin(), cmd.OutOrStdout())
	// The record of a server waits to be sent; files have it.
	l := opened.Load()
	if l != nil && (!late || l.Sites.One != nil && site.IsRemote(l.Sites.One.Root)) {
		a.Layers = l
	}
	return nil
}

// view returns what the hooks of a working directory inject: the stores of this machine, the server
// of the project's memory, or both.
func (o *hookOptions) view(a *app.App, l *layers.Layers, dir string, client *setup.Client,
	box *inbox.Inbox) (view *hook.View, err error) {
	sites, at := l.Sites, app.ServedIn(&l.Sites)
	if at.URL != "" && sites.One != nil {
		view = &hook.View{Store: mem.NewMemory(), Unrecorded: true}
	} else if view, err = viewOf(a, l); err != nil {
		return nil, err
	}
	view.Root, view.Off = sites.Folder(dir), offIn(sites, client)
	view.Branch, view.Mark = sites.Branch(), sites.ProjectMark
	view.Remark = moved.TreeHere(&sites, dir).Remark
	if o.bridge {
		view.Native = func() []native.Folder {
			return nativeFolders(a, &sites, dir, client.Name)
		}
	}
	if at.URL == "" {
		view.Capture = captureIn(l, box)
	} else {
		view.Server = o.server(a, at, client)
	}
	return view, nil
}

// captureIn returns how the hooks of a working directory fill its stores.
func captureIn(l *layers.Layers, box *inbox.Inbox) hook.CaptureHere {
	return hook.CaptureHere{
		Take: func(ctx context.Context, p intake.Prompted) (intake.Taken, error) {
			by := mem.Caller{Session: p.Session, Channel: "hook"}
			return intake.Take(ctx, l, by, box, p)
		},
		Begin: func(ctx context.Context, s inbox.Session) error {
			return intake.Begin(ctx, l, box, s)
		},
	}
}

// offIn returns the function that reports whether the hooks are off in a conversation, and whether
// a hook has said so. It notes that it was called: the second time a hook has.
func offIn(sites site.Sites, client *setup.Client) func(string) (off, said bool) {
	return func(conversation string) (off, said bool) {
		conversation = site.Conversation(client.Name, conversation)
		if off = sites.Book.IsOff(conversation); off {
			changed, err := sites.Book.SetOff(conversation+" said", true)
			said = err != nil || !changed
		}
		return off, said
	}
}

// hookDeadline returns what $MEM_HOOK_DEADLINE says, 0 if it says no time. It is for the tests,
// which must answer the same on a busy machine. $MEM_NOW does not matter: it may be left over, and
// a person waits.
func hookDeadline(getenv func(string) string) time.Duration {
	d, err := time.ParseDuration(getenv("MEM_HOOK_DEADLINE"))
	if err != nil || d <= 0 {
		return 0
	}
	return d
}

// keep makes the hook tell the agent of --agent what it keeps for itself.
func (o *hookOptions) keep(a *app.App, h *hook.Hook) {
	as, err := journal.Acting(a.Caller, o.agent)
	switch {
	case err == nil:
		h.Agent, h.Keeps = as.Agent, true
	case h.Debug != nil:
		h.Debug(err.Error())
	}
}
