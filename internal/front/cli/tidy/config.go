package tidy

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

type configOptions struct {
	origin  bool
	session string
}

func NewConfigCmd(a *app.App) *cobra.Command {
	o := &configOptions{}
	cmd := &cobra.Command{
		Use:   "config <action> [<name>] [<value>]",
		Short: "show or change the settings of a store",
		Long: `Show or change the settings in config.json of a store.

Actions:
  list                every setting with the value in force, and why a line of
                      the file has no effect
  get <name>          the value in force
  set <name> <value>  one setting, as JSON or plain text; null removes it, so
                      that the default applies

set keeps the spelling of the rest of the file, and refuses an invalid value.
In a file with several faults it corrects one and warns of the others. With two
layers, list and get show both; set changes the project's file unless --layer
names the other. With --session, the settings are decay_config,
compaction_config and preferences of one session; config.json supplies those
that the session does not set.`,
		Example: `  mem config list --show-origin
  mem config get storage.max_session_size_mb
  mem config set decay.type_specific.decision.half_life_hours 1440
  mem config set decay_config.enabled false --session sess_20260222_ada`,
		Args: app.WantArgs(1, 3, "list, get <name> or set <name> <value>"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	cmd.Flags().BoolVar(&o.origin, "show-origin", false,
		"also the origin of a value: default, session or a line")
	cmd.Flags().StringVar(&o.session, "session", "", "settings of the session with this `ID`")
	return cmd
}

// configActions are the actions with how many arguments follow.
var configActions = map[string]int{"list": 0, "get": 1, "set": 2}

func (o *configOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	want, known := configActions[args[0]]
	if !known || len(args) != 1+want {
		return fault.Input("config "+args[0], "want list, get <name> or set <name> <value>",
			advice.Run("config", "list").Then(" shows all names"))
	}
	switch {
	case o.session != "":
		return o.sessionSettings(a, cmd, args)
	case args[0] == "set":
		return o.set(a, cmd, args[1], args[2])
	}
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	ans := configured{[]mem.Setting{}}
	err = l.Each(func(s *mem.Store, _ *site.Site) error {
		list, err := s.Settings(cmd.Context(), args[1:]...)
		ans.Settings = append(ans.Settings, list...)
		return err
	})
	if err != nil {
		return err
	}
	return o.print(a, cmd, ans, args[0])
}

// configured is what --json prints.
type configured struct {
	Settings []mem.Setting `json:"settings"`
}

// print prints settings: a list as a table, else the value of each layer on a line.
func (o *configOptions) print(a *app.App, cmd *cobra.Command, ans configured, action string) error {
	forAnswer(a, ans.Settings)
	if action == "list" {
		return a.Answer(cmd, ans, o.table(ans, a.Layers.Layered()).Write)
	}
	var lines strings.Builder
	for _, x := range ans.Settings {
		line := app.Titled(x.Layer, x.Text())
		if o.origin {
			line += "\t" + x.Origin
		}
		lines.WriteString(app.OneLine(line) + "\n")
	}
	return a.Answer(cmd, ans, app.Verbatim(lines.String()))
}

func (o *configOptions) table(ans configured, layered bool) *app.Table {
	t := &app.Table{Head: []string{"NAME", "VALUE"}}
	if o.origin {
		t.Head = append(t.Head, "ORIGIN")
	}
	t.Head = append(t.Head, "EFFECT")
	if layered {
		t.Head = append([]string{"LAYER"}, t.Head...)
	}
	for _, x := range ans.Settings {
		if x.Effect || x.Origin != "default" {
			t.Add(o.row(x)...)
		}
	}
	return t
}

// row returns the fields of a setting; the last is empty for a setting with an effect.
func (o *configOptions) row(x mem.Setting) (fields []string) {
	if x.Layer != "" {
		fields = append(fields, x.Layer)
	}
	fields = append(fields, app.OneLine(x.Name), app.OneLine(string(x.Value)))
	if o.origin {
		fields = append(fields, x.Origin)
	}
	if !x.Effect {
		return append(fields, "no effect: "+x.Why)
	}
	return append(fields, "")
}

func (o *configOptions) set(a *app.App, cmd *cobra.Command, name, value string) error {
	s, err := a.OpenOne(cmd)
	if err != nil {
		return err
	}
	changed, err := s.SetSetting(cmd.Context(), a.Caller, name, value)
	if err == nil && changed && name == "capture.propose" {
		err = a.Inbox().StopAll("") // the next session begins a journal as the settings then say
	}
	if err != nil {
		return err
	}
	return answerSet(a, cmd, name, changed)
}

func answerSet(a *app.App, cmd *cobra.Command, name string, changed bool) error {
	if !changed {
		a.Mention(cmd, "nothing changed")
	}
	return a.Answer(cmd, struct {
		Name    string `json:"name"`
		Changed bool   `json:"changed"`
	}{name, changed}, app.Nothing)
}

// forAnswer takes the layer out of settings where there is only one.
func forAnswer(a *app.App, list []mem.Setting) {
	for i := range list {
		if !a.Layers.Layered() {
			list[i].Layer = ""
		}
	}
}
