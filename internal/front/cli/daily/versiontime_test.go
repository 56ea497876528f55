package daily

import (
	"slices"
	"testing"
	"time"

	"github.com/set-memory/mem/log"
)

// Two versions of one second have different names.
func TestVersionTimes(t *testing.T) {
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	time.Local = time.FixedZone("there", 3600)
	at := log.StampOf(time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC))
	got := versionTimes([]log.Stamp{at + 60_000_000, at + 2, at + 1, at - 60_000_000})
	want := []string{"2026-02-22 11:01:00", "2026-02-22 11:00:00.000002",
		"2026-02-22 11:00:00.000001", "2026-02-22 10:59:00"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := unitOf("11:00:00.02"); got != 10*time.Millisecond {
		t.Error(got)
	}
}
