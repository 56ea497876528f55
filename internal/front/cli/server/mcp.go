package server

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/mcp"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

type mcpOptions struct{ tools, agent string }

func newMCPCmd(a *app.App) *cobra.Command {
	o := &mcpOptions{}
	cmd := &cobra.Command{
		Use: "mcp",
		Long: `Serve the memory here to one agent over the Model Context Protocol, on standard
input and output, until the input ends. Clients run it; "mem serve" does the
same for many agents over HTTP, at /mcp.

The stores are those of a shell in the client's folder: the project's and the
user's, or the one that --root or $MEM_ROOT names. The folder comes from the
client's roots, or else is the working directory. An untrusted .mem is not used.

--tools selects the tools: core (search, read, store, note and forget), bundle
(events, decisions, artifacts and the context for the next model call), journal
(an agent's journal and core), memory (files below /memories), or all.`,
		Example: `  claude mcp add mem -- mem mcp
  mem mcp --tools core,journal --agent ada`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.tools, "tools", "core", "the `SETS` of tools: core, bundle, journal, "+
		"memory or all, with commas")
	f.StringVar(&o.agent, "agent", "", "the `AGENT` that calls (default: $MEM_AGENT)")
	return cmd
}

func (o *mcpOptions) run(a *app.App, cmd *cobra.Command) error {
	if err := a.Check(); err != nil {
		return err
	}
	sets, err := mcp.ParseSets(o.tools)
	if err != nil {
		return err
	}
	if at := a.ServedRoot(); at.URL != "" {
		return o.relay(a, cmd, at)
	}
	caller := a.CallerOver("mcp")
	if o.agent != "" {
		if caller, err = journal.Acting(caller, o.agent); err != nil {
			return err
		}
	}
	caller.Client = cmp.Or(caller.Client, "MCP")
	a.Caller.Client = caller.Client
	if err := a.CheckClock(policy.Plain("mcp")); err != nil {
		return err
	}
	if caller.Agent == "" && strings.Contains(o.tools, "journal") {
		a.Tell(cmd, "warning", "--agent NAME is missing: the journal tools are not listed")
	}
	folders := &mcp.Folders{Caller: caller, Keys: a.Keys,
		Find: func(dir string) (*layers.Layers, error) { return a.OpenAt(cmd, dir) }}
	version, _ := a.Built()
	client, session := hook.Caller(os.Getenv)
	as := mcp.Options{Version: version, Sets: sets, Client: client, Session: session}
	return mcp.Run(cmd.Context(), as, folders, cmd.InOrStdin(), cmd.OutOrStdout())
}

// relay lets the server of a memory serve the client.
func (o *mcpOptions) relay(a *app.App, cmd *cobra.Command, at app.ServedAt) error {
	a.Caller.Agent = cmp.Or(o.agent, a.Caller.Agent)
	client, _, _, err := clientOf(a, at.URL)
	if err != nil {
		return err
	}
	return mcp.Relay(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(),
		func(ctx context.Context, header http.Header, message []byte) ([]byte, error) {
			query := url.Values{toolsQuery: {o.tools}, projectQuery: {at.Project}}
			answer, err := client.Post(ctx, mcpPath, query, header, message)
			if slices.Contains(forgettingTools, header.Get("Mcp-Name")) && err == nil {
				_ = a.Starts().Drop(at.URL, "") // else they expire
			}
			return answer, dropRefused(a, at.URL, err)
		})
}

// forgettingTools are as forgetting.
var forgettingTools = []string{"mem_forget", "mem_set", "memory"}

const (
	mcpPath      = "/mcp"
	toolsQuery   = "tools"   // of the URL: the sets that are listed; all of them without it
	projectQuery = "project" // the name of the project that the memory is of, for the caller
)

// frontsOf returns what a server serves besides its own routes.
func frontsOf(a *app.App, root *serve.Root) []serve.Front {
	version, _ := a.Built()
	handlerOf := mcp.NewHandlers(mcp.Options{Version: version, Hide: root.Path()})
	serveMCP := func(w http.ResponseWriter, r *http.Request) error {
		caller, err := serve.CallerOf(r.Context())
		if err != nil {
			return err
		}
		handler, err := handlerOf(cmp.Or(r.URL.Query().Get(toolsQuery), "all"))
		if err != nil {
			return err
		}
		caller.Channel, caller.Client = "mcp", "MCP"
		m, err := serve.Open(r.Context(), caller)
		if err != nil {
			return err
		}
		defer m.Close()
		l := layers.Of(m.Store)
		if name := r.URL.Query().Get(projectQuery); name != "" {
			l = layers.At(m.Store.Path(), name, m.Store.For(m.Store.Now, nil, policy.CheckTeam))
		}
		return handler(w, r, &mcp.Memory{Caller: caller, Layers: l,
			Turn: m.Turn, Book: func(*mem.Store) (*ledger.Book, error) { return m.Book, nil }})
	}
	return []serve.Front{{Path: mcpPath, Most: mcp.MaxBody, Serve: serveMCP}}
}
