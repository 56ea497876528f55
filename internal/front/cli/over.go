package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
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
func getLive(cmd *cobra.Command, s *mem.Store, key keypath.Key, expired bool) (log.Record, error) {
	rec, err := s.Get(cmd.Context(), caller, key, true)
	if err != nil || expired || !content.Expired(rec.Content, log.StampOf(s.Now())) {
		return rec, err
	}
	f := content.Parse(rec.Content)
	return log.Record{}, &hinted{&overError{key, f.Expires},
		advice.Run(cmd.Name(), key.String(), "--expired").Then(" includes it")}
}
