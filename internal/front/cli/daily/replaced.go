package daily

import (
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// factOfPerson returns the live memory of a key that a program is about to replace, or has marked
// as replaced; the zero record for a person, to whom nothing is said.
func factOfPerson(a *app.App, cmd *cobra.Command, s *mem.Store, key keypath.Key) log.Record {
	if policy.IsPerson(a.Caller) || !a.Talks() {
		return log.Record{}
	}
	rec, err := s.Get(cmd.Context(), a.Caller, key, false)
	if err != nil {
		return log.Record{}
	}
	return rec.Clone()
}

// sayWhose says whose memory a program has replaced, if it may be a person's.
func sayWhose(a *app.App, cmd *cobra.Command, was log.Record, back advice.List) {
	by := ""
	switch content.Origin(was.Source) {
	case "user":
		if by = content.Writer(was.Source); by == "" {
			by = "the user"
		}
		by += " wrote"
	case "":
		by = "came from " + sourceName(was.Source)
	}
	if was.Key.IsZero() || by == "" {
		return
	}
	f := content.Parse(was.Content)
	day := f.Time(was.TS).Time().UTC().Format(time.DateOnly)
	a.Advise(cmd, "hint", advice.Say("it replaced what "+by+" on "+day).Also(back))
}

// sourceName returns the words of a source without a kind.
func sourceName(source []byte) string {
	if name := content.Author(source); name != "" {
		return name
	}
	return jsontext.Unquote(source)
}
