package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/page"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

// Verbs are the verbs of the package, by their names.
var Verbs = map[string]func(*app.App) *cobra.Command{
	"serve": newServeCmd, "mcp": newMCPCmd, "page": newPageCmd, "token": newTokenCmd,
	"key": newKeyCmd, "space": newSpaceCmd,
}

type serveOptions struct {
	socket string
	listen []string
	hosts  []string
	cert   string
	key    string
	conns  int
}

func newServeCmd(a *app.App) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use: "serve",
		Long: `Serve the memories below a root to many agents over HTTP, until SIGTERM or
Ctrl-C; running requests are finished first. Each tenant's memory is
ROOT/tenants/ID, which its first write creates. The command line works beside
the server and without it, with --root ROOT/tenants/ID. --root
postgres://HOST/DATABASE serves the spaces of a database, each to the tenant of
its name, over connections that they share; its socket is
$XDG_RUNTIME_DIR/memd/memd.sock.

The unix socket accepts this user alone; its requests name tenant and agent.
Over TCP each request needs a token, see "mem token", and must name the server
as localhost, by an address, by the host of a --listen or by a --host. Sockets
from systemd (LISTEN_FDS) replace ROOT/memd.sock. With --tls-cert and --tls-key TCP is encrypted, and
"mem --root https://HOST:PORT/TENANT" works from other machines; files that are
replaced are read again.

/api/v1/openapi.json describes the API, /healthz reports the health of the
server, /metrics has figures for Prometheus, over the unix socket alone.
Standard error gets one JSON line for each request, without its content;
--log-level warn omits successful ones.`,
		Example: `  mem serve --root ~/memories
  mem serve --root /srv/mem --socket /run/memd.sock --listen localhost:8181
  curl --unix-socket ~/memories/memd.sock \
    'http://mem/api/v1/memories?tenant_id=t1'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.socket, "socket", "", "the `PATH` of the unix socket (default: ROOT/memd.sock)")
	f.StringArrayVar(&o.listen, "listen", nil, "also the TCP address `HOST:PORT`; repeatable")
	f.StringArrayVar(&o.hosts, "host", nil,
		"a `NAME` of the server over TCP; repeatable")
	f.StringVar(&o.cert, "tls-cert", "", "the `FILE` with the certificates of TCP, in PEM")
	f.StringVar(&o.key, "tls-key", "", "the `FILE` with the key of --tls-cert")
	f.IntVar(&o.conns, "connections", pgstore.DefaultConns,
		"the greatest number of connections to PostgreSQL, `N`, for all tenants together")
	return cmd
}

// gcPercent lets garbage take four fifths of the heap: what a server keeps is small, for it maps
// the files of its memories, and an event over HTTP costs less time of a processor so.
const gcPercent = 400

// memoryLimit is where garbage is collected before there is that much of it: what requests have in
// memory at a time is bounded (package serve), and some more than half of this.
const memoryLimit = 640 << 20

func (o *serveOptions) run(a *app.App, cmd *cobra.Command) error {
	if a.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if a.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if o.conns < 2 || o.conns > 10_000 {
		return app.BadInput("--connections", "want 2 to 10000", "leave it out for 40")
	}
	root, err := rootOf(a, o.conns, serve.MakeRoot)
	if err != nil {
		return err
	}
	// One that is being started, or away for a while, is no reason not to serve.
	if err := root.Check(cmd.Context()); errors.Is(err, backend.ErrUnavailable) {
		a.Tell(cmd, "warning", mem.Message(err)+"; requests get 503 until it can be reached")
	} else if err != nil {
		return err
	}
	store, err := a.Options()
	if err != nil {
		return err
	}
	clock := app.SystemClock()
	logger := slog.New(logline.New(os.Stderr, logline.Options{
		Level: a.Level(cmd, slog.LevelInfo), Now: clock,
	}))
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads any more ends no server
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	keys, err := serverKeys(a, root)
	if err != nil {
		return err
	}
	listeners, err := o.open(root, a)
	if err != nil {
		return err
	}
	pages := &pages{host: a, root: root, log: logger, origin: listeners.Origin(),
		all: map[string]*page.Page{}}
	server := pages.server(serve.Options{Store: store, Clock: clock, Log: logger, Keys: keys,
		Hosts: append(o.hosts, o.listen...), Compact: app.Compact})
	version, commit := a.Built()
	logger.Info("serving", logline.Component, "serve", "version", version, "commit", commit,
		"root", root.Location(), "addresses", listeners.Addresses(), "pid", os.Getpid())
	return server.Run(ctx, listeners)
}

func (p *pages) server(o serve.Options) *serve.Server {
	o.Fronts = append(frontsOf(p.host, p.root), p.front(),
		remote.NewFront(runnerOf(p.host, p.root, o.Keys), o.Clock, o.Log))
	return serve.New(p.root, o)
}

// serverKeys returns the keys of the server; nil if no file is named. A wrong file ends the start.
func serverKeys(a *app.App, root *serve.Root) (ledger.Keys, error) {
	if a.KeyFile() == "" {
		return nil, nil
	}
	keys := &currentKeys{path: a.KeyFile(), roots: []string{root.Path()}}
	_, err := keys.load()
	return keys, err
}

// open opens what the flags name, and the socket in the root where they name none and systemd has
// opened nothing.
func (o *serveOptions) open(root *serve.Root, a *app.App) (*serve.Listeners, error) {
	l, err := serve.Inherited()
	if err != nil {
		return nil, err
	}
	if o.cert+o.key != "" && len(o.listen) == 0 {
		return nil, app.BadInput("--tls-cert", "it is for --listen, which is not there",
			"--listen HOST:PORT serves other machines")
	}
	if o.socket == "" && l.Empty() {
		if o.socket, err = root.Socket(); err != nil {
			return nil, err
		}
	}
	if o.socket != "" {
		err = l.ListenUnix(o.socket, app.SystemClock()())
	}
	if err == nil && o.cert+o.key != "" {
		err = l.Encrypt(o.cert, o.key)
	}
	for i := 0; i < len(o.listen) && err == nil; i++ {
		err = l.Listen(o.listen[i])
	}
	if err != nil {
		l.Close() // nobody has come in yet
		return nil, err
	}
	return l, nil
}

// rootOf opens the root that --root names, with so many connections to a database. $MEM_ROOT names
// a memory, and no root of a server.
func rootOf(a *app.App, conns int, open func(string) (*serve.Root, error)) (
	*serve.Root, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.Root == "" {
		return nil, app.BadInput("root", "which directory holds the tenants' memories?",
			"--root DIR names it, or a postgres:// URL without a space")
	}
	if url := a.ServerRoot(); url != "" {
		return remoteRoot(url, conns)
	}
	root, err := open(a.Root)
	if mem.KindOf(err) == mem.KindInput {
		return nil, fmt.Errorf("root: %w", err)
	}
	return root, err
}
