package inject

import (
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// maxAlike is how many memories are compared with a fact of another client.
const maxAlike = 3

// addNative puts the facts that other clients keep themselves behind the memories of a start. It
// omits the files that the conversation has in this version, and facts that mem holds.
func (ch *choice) addNative(page *readout.Page) {
	if ch.options.Native == nil || ch.options.Trigger != AtStart {
		return
	}
	known := func(key string, at log.Stamp) bool {
		return ch.given.hasVersion(Injected{Key: key, TS: at})
	}
	for _, folder := range ch.options.Native() {
		for fact := range folder.Facts(known) {
			if ch.ctx.Err() != nil {
				return
			}
			if !ch.holds(page, fact.Text) && !page.AddNative(fact, ch.now) {
				ch.skip(fact.Key, skippedRoom)
			}
		}
	}
}

// holds reports whether the page or a memory has the same words as a fact.
func (ch *choice) holds(page *readout.Page, fact string) bool {
	fold := func(text string) string {
		return content.FoldText(readout.Flatten(text, readout.MaxShort))
	}
	is := func(text string) bool { return fold(text) == fold(fact) }
	if slices.ContainsFunc(page.Entries, func(e readout.Entry) bool { return is(e.Text) }) {
		return true
	}
	alike, err := ch.store.Reader(ch.caller).FindNear(ch.ctx, fact, maxAlike)
	return err != nil || // what cannot be compared may be mem's
		slices.ContainsFunc(alike, func(rec log.Record) bool {
			return is(textOf(rec)) || is(content.Parse(rec.Content).Text)
		})
}
