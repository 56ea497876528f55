package daily

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// privateFlags are those of mem read --format private.
type privateFlags struct {
	agent, name, others, prompt string
	tokens                      int
}

var privateNames = []string{"agent", "name", "participants", "agent-prompt", "max-tokens"}

func (p *privateFlags) register(f *pflag.FlagSet) {
	f.StringVar(&p.agent, "agent", "", "with --format private: "+app.AgentUsage)
	f.StringVar(&p.name, "name", "", "with --format private: the whole system message of this "+
		"`NAME` in a group")
	f.StringVar(&p.others, "participants", "",
		"with --name: the other participants, `NAMES` with commas")
	f.StringVar(&p.prompt, "agent-prompt", "",
		"with --name: the agent's own prompt, `TEXT` or @file")
	f.IntVar(&p.tokens, "max-tokens", 0, "with --format private: at most `N` tokens of the core, "+
		"the newest (default: all)")
}

// check refuses flags that would have no effect.
func (p *privateFlags) check(cmd *cobra.Command) error {
	if p.name == "" && cmd.Flags().Changed("name") {
		return app.EmptyFlag("name")
	}
	name := app.FirstChanged(cmd, "participants", "agent-prompt")
	if p.name == "" && name != "" {
		return app.BadInput("--"+name, "it works only with --name", "")
	}
	if p.tokens < 0 {
		return app.BadInput("--max-tokens", "want a number of tokens of 0 or more", "")
	}
	return nil
}

// privatePage is what --json prints of the page.
type privatePage struct {
	Agent   string           `json:"agent"`
	Text    string           `json:"text"`
	Core    []journal.Listed `json:"core"`
	Journal []journal.Listed `json:"journal"`
}

// run prints what an agent keeps, as its prompt has it.
func (p *privateFlags) run(a *app.App, cmd *cobra.Command) error {
	as, err := journal.Acting(a.Caller, p.agent)
	if err != nil {
		return err
	}
	prompt, err := a.JSONArg(cmd, "--agent-prompt", p.prompt, policy.MaxContent)
	if err != nil {
		return err
	}
	if _, err := a.OpenToRead(cmd); err != nil { // says if there is no store at all
		return err
	}
	s, err := a.OpenPersonal(cmd)
	if err != nil {
		return err
	}
	active, err := journal.Read(cmd.Context(), s, as, "")
	if err != nil {
		return err
	}
	page, left := journal.NewPage(active), 0
	if cmd.Flags().Changed("max-tokens") {
		left = page.CutCore(p.tokens)
	}
	text := page.Text()
	if p.name != "" {
		text = journal.Prompt(journal.Group{Name: p.name, Prompt: string(prompt),
			Others: app.SplitList([]string{p.others})}, page)
	}
	return p.print(a, cmd, s, as.Agent, text, page, left)
}

func (p *privateFlags) print(a *app.App, cmd *cobra.Command, s *mem.Store, agent, text string,
	page journal.Page, left int) error {
	if left > 0 && a.Explains() {
		a.Tell(cmd, "hint", app.Memories(left)+" of the core left out: --max-tokens limits them")
	} else if page.Empty() {
		a.SayEmpty(cmd, s, 0, "agent "+agent+" has no active entries")
	}
	now := log.StampOf(s.Now())
	doc := privatePage{Agent: agent, Text: text, Core: journal.NewListed(page.Core, now),
		Journal: journal.NewListed(page.Journal, now)}
	if text != "" {
		text += "\n"
	}
	return a.Answer(cmd, doc, app.Verbatim(text))
}
