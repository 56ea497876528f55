package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What the verbs share that are about what an agent keeps for itself.

// registerAgent registers the flag that names an agent.
func registerAgent(cmd *cobra.Command, agent *string, text string) {
	cmd.Flags().StringVar(agent, "agent", "", text)
}

const agentUsage = "`AGENT` whose journal and core the verb uses (default: $MEM_AGENT)"

// openPersonal opens the store with the journals and cores of agents: the user's, or the only one.
func openPersonal(a *app, cmd *cobra.Command) (*mem.Store, error) {
	l, err := a.open(cmd)
	if err != nil {
		return nil, err
	}
	s, _, err := openFor(l, keypath.MustParse(keypath.AgentPrefix))
	return s, err
}

// keptText completes the help of both verbs: the limit and the sources of a text.
const keptText = `, at most 10,000 characters; "-" reads it from standard input, and a leading @ ` +
	`belongs to the text and names no file.`

// keepFlags are the flags of the verbs that store what an agent keeps.
type keepFlags struct {
	agent       string
	allowSecret []string
}

func (k *keepFlags) register(cmd *cobra.Command) {
	registerAgent(cmd, &k.agent, agentUsage)
	cmd.Flags().SetAnnotation("agent", mayBeEmpty, []string{"a model reads the error"})
	cmd.Flags().StringArrayVar(&k.allowSecret, "allow-secret", nil, allowSecretUsage)
}

// run stores a text and prints what a model reads of it: that it was refused, too.
func (k *keepFlags) run(a *app, cmd *cobra.Command, level journal.Level, arg string) error {
	m, err := k.save(a, cmd, level, arg)
	return k.reply(a, cmd, m, err)
}

// args is wantArgs for one text, with the reply of a model where it fails.
func (k *keepFlags) args(a *app) cobra.PositionalArgs {
	want := wantArgs(1, 1, "one text (quote it for the shell)")
	return func(cmd *cobra.Command, args []string) error {
		if err := want(cmd, args); err != nil {
			return k.reply(a, cmd, journal.Memory{}, err)
		}
		return nil
	}
}

// reply prints what a model reads of a call that ended with an error, or without, and returns it;
// in words for people where no agent is named.
func (k *keepFlags) reply(a *app, cmd *cobra.Command, m journal.Memory, err error) error {
	answer := journal.NewReply(m, err)
	if errors.Is(err, journal.ErrNoAgent) {
		err = &journal.AgentError{}
	}
	// What standard output fails with matters only where nothing else has failed.
	return cmp.Or(err, a.answer(cmd, answer, unlessQuiet(inJSON(answer))))
}

func (k *keepFlags) save(a *app, cmd *cobra.Command, level journal.Level, arg string) (
	m journal.Memory, err error) {
	text, err := textArg(cmd, "text", arg, policy.MaxContent)
	if errors.Is(err, policy.ErrTooLarge) {
		text, err = strings.Repeat("x", journal.MaxText+1), nil // whatever it is, it is too long
	}
	if err != nil {
		return m, err
	}
	s, err := openPersonal(a, cmd)
	if err != nil {
		return m, err
	}
	return journal.Save(cmd.Context(), s, caller, level, text,
		journal.Options{Agent: k.agent, AllowSecrets: k.allowSecret})
}

// privateFlags are those of mem read --format private.
type privateFlags struct {
	agent, name, others, prompt string
	tokens                      int
}

// privateNames are their names.
var privateNames = []string{"agent", "name", "participants", "agent-prompt", "max-tokens"}

func (p *privateFlags) register(f *pflag.FlagSet) {
	f.StringVar(&p.agent, "agent", "", "with --format private: "+agentUsage)
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
		return emptyFlag("name")
	}
	name := firstChanged(cmd, "participants", "agent-prompt")
	if p.name == "" && name != "" {
		return &usage{what: "--" + name, why: "it works only with --name"}
	}
	if p.tokens < 0 {
		return &usage{what: "--max-tokens", why: "want a number of tokens of 0 or more"}
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
func (p *privateFlags) run(a *app, cmd *cobra.Command) error {
	as, err := journal.Acting(caller, p.agent)
	if err != nil {
		return err
	}
	prompt, err := jsonArg(cmd, "--agent-prompt", p.prompt, policy.MaxContent)
	if err != nil {
		return err
	}
	if _, err := openToRead(a, cmd); err != nil { // says if there is no store at all
		return err
	}
	s, err := openPersonal(a, cmd)
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
			Others: splitList([]string{p.others})}, page)
	}
	return p.print(a, cmd, s, as.Agent, text, page, left)
}

func (p *privateFlags) print(a *app, cmd *cobra.Command, s *mem.Store, agent, text string,
	page journal.Page, left int) error {
	if left > 0 && explains(a) {
		a.tell(cmd, "hint", memories(left)+" of the core left out: --max-tokens limits them")
	} else if page.Empty() {
		sayEmpty(a, cmd, s, 0, "agent "+agent+" has no active entries")
	}
	now := log.StampOf(s.Now())
	doc := privatePage{Agent: agent, Text: text, Core: journal.NewListed(page.Core, now),
		Journal: journal.NewListed(page.Journal, now)}
	if text != "" {
		text += "\n"
	}
	return a.answer(cmd, doc, verbatim(text))
}
