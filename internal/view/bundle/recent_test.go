package bundle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/ledger"
)

// The window has the newest messages without a gap, up to the first that does not fit, however many
// reads it takes to find them: of a long dialogue it reads as many as it has room for.
func TestWindowOfLongDialogue(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		var said, ids []string // the newest first
		var events []ledger.Event
		for i := range 2_600 {
			text := fmt.Sprintf("%d", i)
			if i >= 2_400 { // those that are read first are long, and let expect few
				text += strings.Repeat(" word", 20+i%23)
			}
			events = append(events, message("s1", text))
			if i%5 == 0 {
				events = append(events, result("s1", "a.txt", fmt.Sprintf("file %d", i)))
			}
			said = append(said, "User: "+text)
		}
		for part := range slices.Chunk(events, 1_000) {
			list, err := l.book.Record(ctx, part...)
			l.Must(err)
			for i, e := range part {
				if e.Kind == "message" {
					ids = append(ids, list[i].Event)
				}
			}
		}
		for _, budget := range []int{0, 300, 2_000, 5_000, 12_000, 20_000, 65_000} {
			r := ask("")
			r.MaxTokens = &budget
			b := l.build(r)
			got := texts(b, "recent_window")
			if want := said[len(said)-len(got):]; !slices.Equal(got, want) {
				t.Errorf("%d: %d messages, %.200q, want %.200q", budget, len(got), got, want)
			}
			if left, ok := firstWithoutRoom(b); !ok && len(got) < 2_000 ||
				ok && left != ids[len(ids)-len(got)-1] {
				t.Errorf("%d: %d messages, then %q had no room", budget, len(got), left)
			}
		}
	})
}

// firstWithoutRoom returns the message for which the window had no room.
func firstWithoutRoom(b bundle.Bundle) (id string, ok bool) {
	for _, o := range b.Omissions {
		if o.Section == "recent_window" {
			return o.Candidates[0], true
		}
	}
	return "", false
}
