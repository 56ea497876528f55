package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/page"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

// pagesPath is where a server has the pages of its tenants: /page/t1/ is that of t1.
const pagesPath = "/page/"

// pages are those of the tenants of a server. One is made when somebody is invited to it.
type pages struct {
	host   *app.App
	root   *serve.Root
	log    *slog.Logger
	origin string // of the server, for a browser; "": it listens on no TCP address

	mu  sync.Mutex
	all map[string]*page.Page // by tenant
}

// front returns how the server serves them. Each page admits visitors by its cookie.
func (p *pages) front() serve.Front {
	return serve.Front{Path: pagesPath, Admits: true, Serve: p.serve}
}

// invited answers the request for a one-time URL.
type invited struct {
	URL string `json:"url"`
}

func (p *pages) serve(w http.ResponseWriter, r *http.Request) error {
	tenant, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, pagesPath), "/")
	if r.Method == http.MethodPost && rest == "invite" {
		return p.invite(w, r, tenant)
	}
	p.mu.Lock()
	of := p.all[tenant]
	p.mu.Unlock()
	if of == nil {
		http.Error(w, "You are signed out. memd page --root ROOT --tenant ID prints a URL that "+
			"signs you in.", http.StatusUnauthorized)
		return nil
	}
	of.ServeHTTP(w, r)
	return nil
}

// invite answers the owner of the socket, which agents may be too: the URL needs a code that the
// server prints. A token over TCP is an agent's, and admits nobody to a view of everything.
func (p *pages) invite(w http.ResponseWriter, r *http.Request, tenant string) error {
	if _, err := serve.CallerOf(r.Context()); err != nil {
		return err
	}
	if p.origin == "" {
		return app.BadInput("page", "this server listens on no TCP address",
			"memd serve --listen localhost:8181 does")
	}
	of, err := p.openPage(tenant)
	if err != nil {
		return err
	}
	path, code := of.InviteWithCode()
	p.log.Warn("page requested", logline.Component, "page", "tenant", tenant, "code", code)
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(invited{p.origin + path})
}

func (p *pages) openPage(tenant string) (*page.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := p.all[tenant]; of != nil {
		return of, nil
	}
	root, err := p.root.TenantPath(tenant)
	if err != nil {
		return nil, err
	}
	if !p.root.IsMade(root) {
		return nil, app.Verdict(mem.KindNo, tenant+": no such tenant",
			advice.Say("the first write to a tenant makes it"))
	}
	store, err := p.host.Options()
	if err != nil {
		return nil, err
	}
	store.OnBegin = session.Tend
	store.OnCompactionDue = func() {
		go func() { _, _ = app.Compact(context.Background(), root, false) }() // the next tries
	}
	sites := site.Sites{One: &site.Site{Root: root, Why: "the memory of tenant " + tenant}}
	of, err := page.New(page.Options{
		Find: func() (*layers.Layers, error) {
			return layers.New(sites, func(*site.Site) mem.Options { return store }), nil
		},
		Health: func(context.Context) []doctor.Check { return doctor.Diagnose(root, store) },
		Now:    store.Now, Clock: app.SystemClock(),
		Base:    strings.TrimSuffix(pagesPath, "/") + "/" + tenant,
		IsKnown: func(string) bool { return true }, // the server has asked
		Caller:  mem.Caller{Tenant: tenant, Channel: "page"}, Log: p.log,
	})
	if err == nil {
		warm(context.Background(), of)
		p.all[tenant] = of
	}
	return of, err
}

// ask asks the server of a root for a one-time URL.
func (o *pageOptions) ask(a *app.App, cmd *cobra.Command) (string, error) {
	root, err := rootOf(a, pgstore.DefaultConns, serve.OpenRoot)
	if err != nil {
		return "", err
	}
	if err := serve.CheckTenant(o.tenant); err != nil {
		return "", err
	}
	socket, err := root.Socket()
	if err != nil {
		return "", err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial}}
	where := "http://memd" + pagesPath + url.PathEscape(o.tenant) + "/invite?" +
		url.Values{"tenant_id": {o.tenant}}.Encode()
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodPost, where, nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(req)
	if err != nil {
		return "", app.BadInput("page", "no server answers at "+socket,
			fmt.Sprintf("memd serve --root %s --listen localhost:8181", root.Path()))
	}
	defer answer.Body.Close()
	var reply struct {
		invited
		mem.ErrorReply
	}
	if err := json.NewDecoder(answer.Body).Decode(&reply); err != nil {
		return "", fmt.Errorf("%s: %w", socket, err)
	}
	if reply.URL == "" {
		return "", app.Verdict(reply.Error.Code, reply.Error.Message,
			advice.Say(reply.Error.Hint))
	}
	return reply.URL, nil
}
