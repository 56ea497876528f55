package life

import (
	"os"
	"strings"
)

// pending are findings that are not fixed yet. What they gate is left out of lives, or not checked;
// an entry goes when lives pass without it.
var pending = map[string]bool{
	"B03": true, // segments that are damaged or cut
}

// readWithout takes the findings that MEM_LIVES_WITH names, with commas between them, off the list:
// so lives show whether they are fixed.
func readWithout() {
	for name := range strings.SplitSeq(os.Getenv("MEM_LIVES_WITH"), ",") {
		delete(pending, name)
	}
}

// isPending reports whether one of some findings is not fixed yet.
func isPending(names ...string) bool {
	for _, name := range names {
		if pending[name] {
			return true
		}
	}
	return false
}
