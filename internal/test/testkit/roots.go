package testkit

import "os"

// The directories of tests lie in memory where that can be. What most of them are about is not the
// disk, and a sync costs nothing there. A search upward from there, for a repository or for what
// keeps old versions, finds nothing of this machine either. A package whose tests have directories
// imports this one.
func init() {
	if canHoldRoots() {
		_ = os.Setenv("TMPDIR", memory) // it fails for names that are none
	}
}
