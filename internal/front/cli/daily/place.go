package daily

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// placeFlags say below which key a verb looks.
type placeFlags struct{ prefix, session string }

func (p *placeFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.prefix, "prefix", "/", "only keys below this `KEY`")
	f.StringVar(&p.session, "session", "",
		"only the conversation with this `ID`: keys below /session/ID")
}

func (p *placeFlags) parse(cmd *cobra.Command) (keypath.Prefix, error) {
	switch {
	case p.session == "":
		return app.PrefixArg(p.prefix)
	case cmd.Flags().Changed("prefix"):
		return keypath.Prefix{}, app.BadInput("--session",
			"it is a prefix, and --prefix gives a second one", "")
	case strings.Contains(p.session, "/"):
		return keypath.Prefix{}, app.BadInput("--session",
			"want the id of a conversation, without a slash", "")
	}
	return keypath.ParsePrefix(keypath.Sessions + "/" + p.session)
}

// whyEmpty returns why nothing is found: the session does not exist, or else the given text.
func (p *placeFlags) whyEmpty(a *app.App, cmd *cobra.Command, s *mem.Store, what string) string {
	if p.session != "" && !session.Exists(cmd.Context(), s, a.Caller, p.session) {
		return p.session + ": " + session.ErrNotFound.Error()
	}
	return what
}
