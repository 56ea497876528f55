package hook

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/native"
	"github.com/set-memory/mem/readout"
)

// View holds the stores from which the conversations of a working directory get records.
type View struct {
	Store      *mem.Store
	Layered    bool           // as in inject.Options
	Repository bool           // as in inject.Options
	Project    string         // as in inject.Options
	Root       string         // as in inject.Options
	Branch     string         // as in inject.Options
	Mark       func() string  // as in inject.Options
	Remark     readout.Remark // as in inject.Options
	// User is the user's store alone, for when the other cannot be read, or takes too long; nil:
	// there is no other.
	User *mem.Store
	// Names is as in inject.Options.
	Names *mem.Store
	// Personal is the store of the agents' own records; nil: none that may be injected.
	Personal *mem.Store
	// Capture is zero where nothing is captured.
	Capture CaptureHere
	// Native is as in inject.Options.
	Native func() []native.Folder
	// Server answers too where the project's memory is behind one; nil: it is not.
	Server Server
	// Unrecorded reports that injections cannot be recorded; then they are repeated.
	Unrecorded bool
	// Off reports whether the hooks are off in a conversation, and whether the person knows; nil:
	// they are on in all.
	Off func(conversation string) (off, said bool)
	// Notice returns what the person should know of the stores, without "mem: "; "" for nothing. It
	// is asked when a session begins; nil for nothing.
	Notice func() string
}

func (v *View) isOff(conversation string) (off, said bool) {
	if v.Off == nil || conversation == "" {
		return false, false
	}
	return v.Off(conversation)
}
