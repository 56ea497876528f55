package content

import "github.com/set-memory/mem/internal/base/advice"

// MarksFile is the file of a root in which a mem before 0.2.0 marked lines beside the log, as lines
// for which no person vouches. Without its marks they would be rules, so such a root is refused.
const MarksFile = "imported"

const lastConverter = "297afc1b"

// ConvertedBy names the last commit that takes such marks into the lines.
const ConvertedBy = "the last commit that converts them is " + lastConverter

// MarkedError refuses the root of a store, or a layer of an archive, with a [MarksFile].
type MarkedError struct {
	Root      string
	IsArchive bool
}

func (e *MarkedError) Error() string { return e.Root + ": " + e.Why() }

// Why returns the reason without the root.
func (e *MarkedError) Why() string {
	return "its file " + MarksFile + " has marks of lines by an earlier mem: " + ConvertedBy
}

// Kind returns the kind, as mem.KindOf asks for it.
func (e *MarkedError) Kind() string {
	if e.IsArchive {
		return "input"
	}
	return "io"
}

// Advice returns how to convert the store, or how to import the archive with its marks.
func (e *MarkedError) Advice() advice.List {
	do := "mem --root " + advice.Quote(e.Root) + " fsck --repair && rm " +
		advice.Quote(e.Root+"/"+MarksFile)
	if e.IsArchive {
		do = "memd import FILE"
	}
	return advice.Shell("in a clone of mem: git checkout " + lastConverter +
		" && go run ./cmd/" + do)
}
