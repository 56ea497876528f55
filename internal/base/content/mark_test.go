package content_test

import (
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A mark takes what is up to the time that its purge had seen, and later versions by their times
// alone, with what an undo brought back of them; no other mark that takes more.
func TestReachOfAMark(t *testing.T) {
	const seen = log.Stamp(1000)
	key, purged := keypath.MustParse("/k"), []byte(`{"kind":"user","purged":true}`)
	mark := log.Envelope{Key: key, TS: 5000, Content: []byte("null"),
		Source: content.WithSeen(purged, seen, []log.Stamp{7000, 500, 3000, 7000})}
	line := func(at log.Stamp) log.Envelope {
		return log.Envelope{Key: key, TS: at, Source: []byte(`"x"`), Content: []byte(`"text"`)}
	}
	for at, want := range map[log.Stamp]bool{500: true, 1000: true, 1001: false, 3000: true,
		3001: false, 6999: false, 7000: true, 7001: false} {
		if got := content.Takes(mark, line(at)); got != want {
			t.Errorf("a line at %d: %v", at, got)
		}
	}
	undone := line(4000)
	undone.Source = []byte(`{"kind":"user","edited":{"verb":"mem undo","restored":"` +
		log.Stamp(7000).String() + `"}}`)
	if !content.Takes(mark, undone) {
		t.Error("an undo of what goes stays")
	}
	for besides, want := range map[log.Stamp]bool{3000: true, 600: true, 8000: false} {
		older := log.Envelope{Key: key, TS: 900, Content: []byte("null"),
			Source: content.WithSeen(purged, 700, []log.Stamp{besides})}
		if got := content.Takes(mark, older); got != want {
			t.Errorf("an older mark with %d besides: %v", besides, got)
		}
	}
	var many []log.Stamp
	for at := range log.Stamp(300) {
		many = append(many, 2000+at)
	}
	mark.Source = content.WithSeen(purged, seen, many)
	if content.Takes(mark, line(2000)) || !content.Takes(mark, line(2299)) {
		t.Error("of many times it has not the latest")
	}
}
