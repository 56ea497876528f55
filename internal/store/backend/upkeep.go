package backend

import "context"

// Upkeep is a backend that keeps something besides the history, and knows how it is. One of files
// has more of it, which packages compact, fsck and doctor do.
type Upkeep interface {
	// Shown returns where the store is, for people: without what is secret.
	Shown() string
	// Compact folds what reads have to go through since the last time, if it is much or always. It
	// reports whether it did.
	Compact(ctx context.Context, ifNeeded bool) (done bool, err error)
	// Check looks at every line of the history, and at what follows from it. With repair it makes
	// what follows anew. It returns how many lines it has read.
	Check(ctx context.Context, repair bool) (found []Finding, lines int, err error)
	// Sizes counts what is on the server.
	Sizes(ctx context.Context) (Sizes, error)
	// Examine says how the store is, as far as milliseconds tell. It does not fail.
	Examine(ctx context.Context) []Remark
}

// Sizes are how much a store on a server holds.
type Sizes struct {
	Lines     int   // of the history
	Bytes     int64 // likewise
	Blobs     int   // that artifacts are about
	BlobBytes int64
}

// Finding is something wrong that a check has found.
type Finding struct {
	Check  string // the invariant, as "D1"
	Name   string // of what is wrong with it
	Where  string // the file or table
	Line   int64  // of it; 0: it is about no line
	Key    string
	Detail string
	Mended bool // a repair has made it right
}

// Remark is one thing that was looked at.
type Remark struct {
	What    string
	Message string
	Bad     bool   // something does not work
	Fix     string // what to do; "": nothing needs doing
}
