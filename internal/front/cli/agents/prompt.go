package agents

import (
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type promptOptions struct{ client string }

func NewPromptCmd(a *app.App) *cobra.Command {
	o := &promptOptions{}
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "print the guidance on mem for a system prompt",
		Long: `Print the part of a system prompt that explains mem to an agent with a shell:
when to search, what to store, how to correct it, and how to react to a
refusal. It needs no store. --client prints the guidance that "mem setup" gives
that client: with hooks it describes what they inject, without hooks it asks
the agent to read at the start.

Clients: ` + setup.Names(guided()) + `.`,
		Example: `  mem prompt >> AGENTS.md
  mem prompt --client cursor
  mem prompt --jq .tokens`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.client, "client", "", "the `CLIENT` that the guidance is for")
	return cmd
}

func guided() (list []*setup.Client) {
	for _, client := range setup.Clients() {
		if client.User.Guidance != "" || client.Project.Guidance != "" {
			list = append(list, client)
		}
	}
	return list
}

func (o *promptOptions) run(a *app.App, cmd *cobra.Command) error {
	if err := a.Check(); err != nil {
		return err
	}
	readers := setup.Clients()
	if o.client != "" {
		client := setup.ClientByName(o.client)
		if !slices.Contains(guided(), client) {
			return noGuidance(o.client, client)
		}
		readers = []*setup.Client{client}
	}
	text := guidanceFor(readers, "mem")
	return a.Answer(cmd, promptReply{text, readout.Tokens(text)}, app.Verbatim(text))
}

func noGuidance(name string, client *setup.Client) error {
	if client != nil {
		return fault.Input("--client "+name,
			"it has no file of guidance: its server gives the guidance",
			advice.Run("setup", name).Then(" installs that server"))
	}
	return noClient("--client", name, guided())
}

// noClient returns the error of an unknown client, with the one that was probably meant.
func noClient(what, name string, clients []*setup.Client) error {
	hint := "want one of " + setup.Names(clients)
	var names []string
	begun, alike := "", ""
	for _, client := range slices.Backward(clients) { // the first that fits counts
		names = append(names, client.Name)
		if len(name) >= 3 && strings.HasPrefix(client.Name, name) {
			begun = client.Name
		}
		word, _, _ := strings.Cut(client.Name, "-")
		if text.Nearest(name, []string{word}) != "" {
			alike = client.Name
		}
	}
	if near := cmp.Or(begun, text.Nearest(name, names), alike); near != "" {
		hint = "did you mean " + near + "?"
	}
	return app.BadInput(what+" "+name, "no such client", hint)
}

// guidanceFor returns the guidance for all readers of a text.
func guidanceFor(readers []*setup.Client, program string) string {
	g := readout.Guide{Program: program}
	for i, client := range readers {
		told := toldTo(client)
		if i > 0 && told != g.Told {
			told = readout.ToldPerhaps
		}
		g.Told = told
	}
	return g.Text()
}

func moreFor(program string) string { return readout.Guide{Program: program}.More() }

// toldTo returns the block that hooks inject into a client by themselves.
func toldTo(client *setup.Client) readout.Told {
	atPrompt := func(e setup.Event) bool {
		return e.Name == setup.UserPromptSubmit || e.Name == setup.BeforeAgent
	}
	switch {
	case client.Hooks.Form == setup.PluginHooks,
		slices.ContainsFunc(client.Hooks.Events, atPrompt):
		return readout.ToldAlways
	case client.HasHooks():
		return readout.ToldAtStart
	case client.Name == "agents-md": // any agent may read it
		return readout.ToldPerhaps
	}
	return readout.ToldNever
}

// promptReply is the part of a system prompt that teaches an agent to use mem.
type promptReply struct {
	Prompt string `json:"prompt"`
	Tokens int    `json:"tokens"`
}
