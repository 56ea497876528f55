package fts

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/set-memory/mem/log"
)

// Many records are read side by side, and are found as if they had been read in a row; what comes
// later is found, and what it replaces is not.
func TestALongTailIsReadSideBySide(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	tail := NewTail()
	for i := range 5 * docsPerReader {
		content := fmt.Sprintf(`"needle%c%c 针头 common"`, 'a'+i%100/10, 'a'+i%10)
		tail.Add(record(fmt.Sprintf("/a/%04d", i), content, log.Stamp(i)))
	}
	count := func(query string) int {
		t.Helper()
		q, err := ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Search(nil, tail, q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, h := range res.Hits {
			if !h.FromNeighbor {
				n++
			}
		}
		return n
	}
	expect := func(query string, want int) {
		t.Helper()
		if got := count(query); got != want {
			t.Errorf("%s: %d hits, want %d", query, got, want)
		}
	}
	expect("needleah", 10)
	expect("针头", 1000)
	tail.Add(record("/a/0007", `"something else"`, 5000))
	tail.Add(record("/a/0107", `null`, 5000))
	tail.Add(record("/b", `"needleah"`, 5000))
	expect("needleah", 9)
	expect("else", 1)
	expect("针头", 998)
	expect("needlea*", 99)
	if len(tail.readers) != 4 {
		t.Errorf("%d readers", len(tail.readers))
	}
}
