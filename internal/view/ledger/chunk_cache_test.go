package ledger

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/readout"
)

// A cache changes no answer, whatever it has forgotten, and forgets what is not asked for.
func TestCache(t *testing.T) {
	c := NewCache(10)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 200 {
				text := strings.Repeat(fmt.Sprintf("line %d of some text\n", (i*7+w)%40), i%40*20)
				if got, want := c.Tokens(text), readout.Tokens(text); got != want {
					t.Errorf("%d tokens, want %d", got, want)
				}
				got, err := c.cuts(chunkerVersion, text)
				want, _ := cutText(chunkerVersion, text)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, want %v (%v)", got, want, err)
				}
			}
		})
	}
	all.Wait()
	if n := len(c.now) + len(c.old); n > 20 || n < 10 {
		t.Errorf("%d texts are remembered", n)
	}
	if _, err := c.cuts(2, "x"); err == nil {
		t.Error("a version that is not known")
	}
	var none *Cache
	list, err := none.cuts(chunkerVersion, "a b")
	if err != nil || len(list) != 1 || none.Tokens("a b") != 3 {
		t.Errorf("%v, %v, %d tokens", list, err, none.Tokens("a b"))
	}
}
