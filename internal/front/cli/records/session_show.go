package records

import (
	"fmt"
	"io"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

func newSessionListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the sessions with their sizes",
		Long: `List the sessions by id: user, time of creation, number of records, bytes, and
whether the session is closed.`,
		Example: `  mem session list
  mem session list --jq '.sessions[] | select(.closed_at == null) | .session_id'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return listSessions(a, cmd) },
	}
}

type listedSession struct {
	*session.Summary
	Layer string `json:"layer,omitempty"`
}

// sessionList is what --json prints.
type sessionList struct {
	Count    int             `json:"count"`
	Sessions []listedSession `json:"sessions"`
}

func listSessions(a *app.App, cmd *cobra.Command) error {
	all, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	l, ans := a.Layers, sessionList{Sessions: []listedSession{}}
	err = l.Each(func(s *mem.Store, site *site.Site) error {
		list, err := session.List(cmd.Context(), s, a.Caller)
		for _, one := range list {
			ans.Sessions = append(ans.Sessions, listedSession{one, l.NameOf(site)})
		}
		return err
	})
	if err != nil {
		return err
	}
	ans.Count = len(ans.Sessions)
	t := app.Table{Head: []string{"SESSION", "USER", "CREATED", "ENTRIES", "BYTES", "STATE"}}
	if l.Layered() {
		t.Head = append(t.Head, "LAYER")
	}
	for _, one := range ans.Sessions {
		row := []string{one.ID, app.OneLine(one.User), one.Created.String()[:len("2026-02-22")],
			strconv.Itoa(one.Entries), strconv.FormatInt(one.Bytes, 10), sessionState(one.Summary)}
		if l.Layered() {
			row = append(row, one.Layer)
		}
		t.Add(row...)
	}
	a.SayEmpty(cmd, all, ans.Count, "no sessions")
	return a.Answer(cmd, ans, t.Write)
}

func sessionState(one *session.Summary) string {
	if one.Closed != nil {
		return "closed"
	}
	return "open"
}

func newSessionShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show <id>",
		Short: "show a session, and the settings in force for it",
		Long: `Show the metadata of a session, its counts, and the settings in force: its own,
or those of config.json. last_accessed is the time of the newest write, because
reads are not recorded.`,
		Example: `  mem session show sess_20260222_ada
  mem session show sess_20260222_ada --jq .settings.decay_config.half_life_hours`,
		Args: app.WantArgs(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.OnSession(cmd, args[0], func(s *mem.Store, layer string) error {
				sum, err := session.Show(cmd.Context(), s, a.Caller, args[0])
				if err != nil {
					return err
				}
				settings, err := session.InForce(cmd.Context(), s, sum.Session())
				if err != nil {
					return err
				}
				return showSession(a, cmd, sum, settings, layer)
			})
		},
	}
}

// shownSession is what --json prints.
type shownSession struct {
	*session.Summary
	Settings jsonText `json:"settings"`
	Layer    string   `json:"layer,omitempty"`
}

// jsonText is JSON as it stands.
type jsonText []byte

// MarshalJSON returns the text.
func (t jsonText) MarshalJSON() ([]byte, error) { return t, nil }

func showSession(a *app.App, cmd *cobra.Command, sum *session.Summary, settings []byte,
	layer string) error {

	t := app.Table{Head: []string{"NAME", "VALUE"}}
	t.Add("session", sum.ID)
	t.Add("user", app.OneLine(sum.User))
	w := cmd.OutOrStdout()
	t.Add("created", app.ShownTime(w, sum.Created))
	addTime(&t, w, "closed", sum.Closed)
	t.Add("last write", app.ShownTime(w, sum.LastWritten))
	t.Add("entries", strconv.Itoa(sum.Entries))
	t.Add("conversations", strconv.Itoa(sum.Counts.Conversations))
	t.Add("decisions", strconv.Itoa(sum.Counts.Decisions))
	t.Add("findings", strconv.Itoa(sum.Counts.Findings))
	t.Add("preferences", strconv.Itoa(sum.Counts.Preferences))
	t.Add("bytes", strconv.FormatInt(sum.Bytes, 10))
	addTime(&t, w, "last compaction", sum.LastCompact)
	if sum.Preferences != nil {
		addSettings(&t, "preferences", sum.Preferences)
	}
	for name, value := range jsontext.Members(settings) {
		addSettings(&t, name, value)
	}
	return a.Answer(cmd, shownSession{sum, settings, layer}, t.Write)
}

// addSettings adds each value in a JSON text, under the name that mem config has for it.
func addSettings(t *app.Table, name string, value []byte) {
	if value[0] != '{' {
		t.Add(app.OneLine(name), app.OneLine(string(value)))
		return
	}
	for member, below := range jsontext.Members(value) {
		addSettings(t, name+"."+member, below)
	}
}

// addTime adds a time, if there is one.
func addTime(t *app.Table, w io.Writer, name string, at *log.Stamp) {
	if at != nil {
		t.Add(name, app.ShownTime(w, *at))
	}
}

func newSessionStatsCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "stats <id>",
		Short: "count the records, bytes and damaged lines of a session",
		Long: `Count the records and bytes of a session and its unreadable lines in log and
archives, and print the time of its last compaction.`,
		Example: `  mem session stats sess_20260222_ada`,
		Args:    app.WantArgs(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.OnSession(cmd, args[0], func(s *mem.Store, _ string) error {
				sum, err := session.Stats(cmd.Context(), s, a.Caller, args[0])
				if err != nil {
					return err
				}

				t := app.Table{Head: []string{"NAME", "VALUE"}}
				t.Add("entries", strconv.Itoa(sum.Entries))
				t.Add("bytes", strconv.FormatInt(sum.Bytes, 10))
				t.Add("damaged lines", strconv.Itoa(sum.DamagedLines))
				last := "never"
				if sum.LastCompact != nil {
					last = app.ShownTime(cmd.OutOrStdout(), *sum.LastCompact)
				}
				t.Add("last compaction", last)
				return a.Answer(cmd, sum, t.Write)
			})
		},
	}
}

func newSessionCompactCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "compact <id>",
		Short: "drop records of little relevance from a session",
		Long: `Drop the records of a session that have expired, or whose relevance is below
decay.min_relevance of config.json (0.05), but no preference. Each gets a
tombstone with the reason. A session does this by itself when it is nearly
full. mem undo KEY restores a record.`,
		Example: `  mem session compact sess_20260222_ada`,
		Args:    app.WantArgs(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.OnSession(cmd, args[0], func(s *mem.Store, _ string) error {
				done, err := session.Compact(cmd.Context(), s, a.Caller, args[0])
				if err != nil {
					return err
				}
				text := fmt.Sprintf("%d of %d dropped, %d -> %d bytes", done.Dropped, done.Before,
					done.From, done.To)
				return a.Answer(cmd, done, app.Report(text))
			})
		},
	}
}

func newSessionRebuildCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild <id>",
		Short: "count the entries of a session from log and archives alone",
		Long: `Count the entries of a session from log and archives alone. Deleted and dropped
entries do not count. The verb writes nothing; mem fsck --repair rebuilds the
derived files of a store.`,
		Example: `  mem session rebuild sess_20260222_ada`,
		Args:    app.WantArgs(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.OnSession(cmd, args[0], func(s *mem.Store, layer string) error {
				n, damaged, err := session.Rebuild(cmd.Context(), s, a.Caller, args[0])
				if err != nil {
					return err
				}
				text := entries(n)
				if damaged > 0 {
					text += ", " + app.Count(damaged, "damaged line")
				}
				return a.Answer(cmd, sessionReply{OK: true, ID: args[0], Entries: &n,
					Damaged: &damaged, Layer: layer}, app.Line(text))
			})
		},
	}
}
