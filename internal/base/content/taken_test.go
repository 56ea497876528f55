package content_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A line that a person took names the one from the future that it replaces. It can name no line of
// its own time, so that nobody keeps out what others write.
func TestTakenNamesLinesFromTheFutureAlone(t *testing.T) {
	const hour = log.Stamp(time.Hour / time.Microsecond)
	for _, source := range []string{`"x"`, `{"kind":"user","name":"me"}`} {
		for _, c := range []struct {
			ahead log.Stamp
			want  bool
		}{{30 * 24 * hour, true}, {24 * hour, true}, {hour, false}, {-hour, false}} {
			now := 1000 * hour
			old := log.Envelope{Key: keypath.MustParse("/k"), TS: now + c.ahead,
				Source: []byte(source), Content: []byte(`"text"`)}
			line := old
			line.TS, line.Source = now, content.Taking(old.Source, old)
			known := content.Taken{}
			known.Note(line)
			if got := known.Has(old.Identity(), old.TS); got != c.want {
				t.Errorf("%s, %d h ahead: %v", line.Source, c.ahead/hour, got)
			}
			if known.Has(line.Identity(), line.TS) {
				t.Errorf("%s names itself", line.Source)
			}
		}
	}
}
