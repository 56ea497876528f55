package server

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/page"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

type pageOptions struct {
	port   int
	noOpen bool
	tenant string
}

func newPageCmd(a *app.App) *cobra.Command {
	o := &pageOptions{}
	cmd := &cobra.Command{
		Use: "page",
		Long: `Show the memories in the browser until Ctrl-C: add and edit them, inspect the
injections into conversations, and decide about quarantined memories. The verb
prints a URL and opens it. The URL works once, within ten minutes; access needs
it, and nothing leaves this machine. Without a terminal it needs --yes, which no
agent may give.

--tenant asks the server of --root, over its socket, for the URL of that
tenant's page; the server needs a --listen, and prints a code for the page.`,
		Example: `  mem page
  mem page --root /srv/memory --port 8700 --no-open
  mem page --root ~/memories --tenant t1`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.port, "port", 0, "the `PORT` to listen on; 0: any free port")
	f.BoolVar(&o.noOpen, "no-open", false, "only print the URL")
	f.StringVar(&o.tenant, "tenant", "", "the page of this `TENANT` on a running server")
	return cmd
}

func (o *pageOptions) run(a *app.App, cmd *cobra.Command) error {
	if err := a.Check(); err != nil {
		return err
	}
	caller, err := a.Person(policy.Page)
	if err != nil {
		return err
	}
	if o.tenant != "" {
		url, err := o.ask(a, cmd)
		if err != nil {
			return err
		}
		return o.show(cmd, url)
	}
	return o.serve(a, cmd, caller)
}

// serve serves the page until the signal.
func (o *pageOptions) serve(a *app.App, cmd *cobra.Command, caller mem.Caller) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.port))
	if err != nil {
		return app.BadInput(fmt.Sprintf("--port %d", o.port), "the address cannot be used: "+
			mem.Message(err), "--port 0 uses a free one")
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	logger := slog.New(logline.New(os.Stderr, logline.Options{
		Level: a.Level(cmd, slog.LevelWarn), Now: app.SystemClock(),
	}))
	store, err := a.Options()
	if err != nil {
		return err
	}
	p, err := page.New(page.Options{
		Find:   func() (*layers.Layers, error) { return a.OpenAt(cmd, "") },
		Health: a.Build.Doctor(a, cmd),
		Now:    store.Now,
		Clock:  app.SystemClock(),
		IsKnown: func(host string) bool {
			if port == "80" && !strings.Contains(host, ":") {
				host += ":80" // browsers leave it out
			}
			return host == address || host == "localhost:"+port
		},
		Caller: caller, Log: logger, Inbox: a.Inbox(),
	})
	if err != nil {
		l.Close() // nobody has come in yet
		return o.notServed(a, err)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	warm(ctx, p)
	if err := o.show(cmd, "http://"+address+p.Invite()); err != nil {
		return err
	}
	return servePage(ctx, l, p)
}

// notServed returns why there is no page, and of a server's root how to see that of a tenant.
func (o *pageOptions) notServed(a *app.App, err error) error {
	root := a.Root
	if mem.KindOf(err) != mem.KindInput || root == "" {
		return err
	}
	if _, none := serve.OpenRoot(root); none != nil {
		return err
	}
	return app.BadInput("page", mem.Message(err), "mem page --root "+root+" --tenant ID")
}

// warmTime is how long the URL may wait for the counts of the stores.
const warmTime = 500 * time.Millisecond

// warm lets a page count its stores before the first view. A long count goes on beside it.
func warm(ctx context.Context, p *page.Page) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Warm(ctx)
	}()
	select {
	case <-done:
	case <-time.After(warmTime):
	}
}

// show prints a one-time URL, and opens it.
func (o *pageOptions) show(cmd *cobra.Command, url string) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), url)
	if err == nil && !o.noOpen {
		openBrowser(url)
	}
	return err
}

// How long a request of a page may take. A purge rewrites the history.
const (
	pageHeaderTime = 10 * time.Second
	pageWriteTime  = 5 * time.Minute
	pageStopTime   = 5 * time.Second
)

// servePage serves until ctx ends.
func servePage(ctx context.Context, l net.Listener, p *page.Page) error {
	server := &http.Server{Handler: p, ReadHeaderTimeout: pageHeaderTime,
		WriteTimeout: pageWriteTime,
		ErrorLog:     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	context.AfterFunc(ctx, func() {
		finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), pageStopTime)
		defer cancel()
		if server.Shutdown(finish) != nil {
			_ = server.Close() // a client that reads no answer does not delay the end
		}
	})
	err := server.Serve(l)
	if ctx.Err() != nil {
		err = nil
	}
	if closed := p.Close(); err == nil {
		err = closed
	}
	return err
}

// openBrowser shows a URL in the person's browser. Where there is none they have the URL. The
// arguments of a program are for all on this machine to read, so it gets a file of the person's own
// that leads to the URL.
func openBrowser(url string) {
	path, err := leading(url)
	if err != nil {
		return
	}
	name, args := "xdg-open", []string{path}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", path}
	}
	cmd := exec.Command(name, args...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // whatever becomes of it
	}
}

// leading writes a file that leads a browser to a one-time URL, in the place of the last one. A
// crash leaves it: the URL is good for ten minutes, and for this person.
func leading(url string) (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir, err := disk.Create(filepath.Join(cache, "mem"))
	if err != nil {
		return "", err
	}
	defer dir.Close()
	const name = "page.html"
	err = dir.WriteFile(name, fmt.Appendf(nil, `<!doctype html><meta http-equiv="refresh" `+
		`content="0; url=%s"><a href="%[1]s">mem</a>`, html.EscapeString(url)))
	return filepath.Join(cache, "mem", name), err
}
