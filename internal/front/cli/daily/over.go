package daily

import (
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// overError is what a key gets whose memory has expired. It counts as absent.
type overError struct {
	key keypath.Key
	at  log.Stamp
}

func (e *overError) Error() string { return e.key.Shown() + ": it expired on " + e.at.String() }

// Is makes every overError a mem.ErrNotFound.
func (e *overError) Is(target error) bool { return target == mem.ErrNotFound }

// getLive returns the memory of a key for a verb with the flag --expired. Where that is not given
// and the memory has expired, the error says so, and how the verb takes it.
func getLive(a *app.App, cmd *cobra.Command, s *mem.Store, key keypath.Key, expired bool) (
	log.Record, error) {
	rec, err := s.Get(cmd.Context(), a.Caller, key, true)
	if errors.Is(err, mem.ErrNotFound) && app.IsTerminalStream(cmd.ErrOrStderr()) {
		return rec, missing(a, cmd, s, key, err)
	}
	if err != nil || expired || !content.Expired(rec.Content, log.StampOf(s.Now())) {
		return rec, err
	}
	f := content.Parse(rec.Content)
	return log.Record{}, app.Hinted(&overError{key, f.Expires},
		advice.Run(cmd.Name(), key.String(), "--expired").Then(" includes it"))
}

// missing adds to the error of a key without a memory the one key that was probably meant, for a
// person at a terminal. Of a large store only the first keys are compared.
func missing(a *app.App, cmd *cobra.Command, s *mem.Store, key keypath.Key, err error) error {
	var names []string
	_ = s.List(cmd.Context(), a.Caller, mem.Filter{}, func(rec log.Record) error {
		if names = append(names, rec.Key.String()); len(names) == maxCompared {
			return app.ErrNo
		}
		return nil
	})
	near := text.Nearest(key.String(), names)
	slices.Reverse(names)
	if near == "" || near != text.Nearest(key.String(), names) { // another one is as near
		return err
	}
	return app.Hinted(err, app.DidYouMean.Run(cmd.Name(), near).Then("?"))
}

// maxCompared is the number of keys that are compared with a missing one.
const maxCompared = 10_000
