package inject

import (
	"slices"

	"github.com/set-memory/mem"
)

// IsRecorded reports whether the record has a line for an injection: for an edit where it brings
// something, and once for each memory that the conversation was given before.
func (in *Injection) IsRecorded() bool {
	return in.Trigger != AtEdit || in.Text != "" || len(in.Renamed) > 0 || in.draft.known
}

// Claim records an injection before its delivery, and removes from it the memories that other hooks
// have claimed for the conversation meanwhile. No hook waits for another.
func Claim(s *mem.Store, in *Injection) {
	Record(s, *in)
	if in.Text == "" || in.Trigger == AtSubagent || in.Retained != RetainedAll {
		return // a context of its own, or a new one
	}
	// What Choose found in earlier lines is not in the injection, so only claims since then matter.
	rivals, own := newGiven(nil), false
	eachOf(s, in, func(other Injection) {
		if own = own || other.Claim == in.Claim; !own {
			rivals.add(other)
		}
	})
	yields := in.Start != nil && in.Start.yield(rivals)
	if in.yield(rivals) || yields {
		in.compose()
		Record(s, *in)
	}
}

// yield removes the memories that rivals have, and reports whether there are any.
func (in *Injection) yield(rivals *given) (yields bool) {
	if in.Own != nil && rivals.hasVersion(*in.Own) {
		in.Own, in.draft.block.Own, yields = nil, "", true
	}
	page := &in.draft.page
	for i, m := range slices.Backward(in.Memories) {
		if !rivals.hasVersion(m) {
			continue
		}
		if yields = true; i < page.Pinned {
			page.Pinned--
		}
		in.Memories = slices.Delete(in.Memories, i, i+1)
		page.Entries = slices.Delete(page.Entries, i, i+1)
	}
	return yields
}
