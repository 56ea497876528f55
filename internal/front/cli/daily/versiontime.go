package daily

import (
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// preciseLayout is how a person is shown the times of two versions of one second.
const preciseLayout = term.Layout + ".000000"

// versionAt returns the ts of the version that a text names: a ts, or a time of the zone here as a
// terminal shows it, which must be that of one version alone.
func versionAt(a *app.App, cmd *cobra.Command, h app.Held, what, text string) (log.Stamp, error) {
	ts, err := log.ParseTime(text)
	if err != nil {
		return 0, app.BadInput(what, err.Error(), "")
	}
	at, lerr := time.ParseInLocation(term.Layout, strings.Replace(text, "T", " ", 1), time.Local)
	if lerr != nil {
		return ts, nil // it names its zone
	}
	as := policy.Reader(a.Caller, policy.VerbNamed(cmd.Name()), h.Key)
	versions, err := h.Store.History(cmd.Context(), as, h.Key)
	if err != nil {
		return ts, nil // as for a ts: the caller finds the same error
	}
	found := 0
	for v, err := range versions.Rows {
		if err != nil {
			return 0, err
		}
		if v.TS.Time().Truncate(unitOf(text)).Equal(at) {
			ts = v.TS
			found++
		}
	}
	if found > 1 {
		return 0, fault.Input(what+" "+text, "more than one version is of that time",
			advice.Run("history", h.Key.String()).Then(" | cat prints the times in full"))
	}
	return ts, nil
}

// unitOf returns what the last digit of a time counts.
func unitOf(text string) time.Duration {
	_, fraction, _ := strings.Cut(text, ".")
	unit := time.Second
	for range min(len(fraction), len("000000")) {
		unit /= 10
	}
	return unit
}

// versionTimes returns the times of versions, newest first, for a person: with fractions where the
// next one is of the same second.
func versionTimes(stamps []log.Stamp) []string {
	var texts []string
	for _, ts := range stamps {
		texts = append(texts, ts.Time().Local().Format(term.Layout))
	}
	for i := len(texts) - 1; i > 0; i-- {
		if strings.HasPrefix(texts[i-1], texts[i][:len(term.Layout)]) {
			texts[i-1] = stamps[i-1].Time().Local().Format(preciseLayout)
			texts[i] = stamps[i].Time().Local().Format(preciseLayout)
		}
	}
	return texts
}
