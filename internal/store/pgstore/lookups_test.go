package pgstore

import (
	"errors"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// However many requests bring a token at once, it is asked for once at a time, and the answer to a
// request was asked for after it came: a token that was revoked before admits it no more.
func TestLookupsAreShared(t *testing.T) {
	const many = 50
	begun, revoked := make(chan bool), make(chan bool)
	asked := 0
	l := newLookups(func(sum string) (Token, bool, error) {
		if asked++; asked == 1 {
			close(begun)
			<-revoked
			return Token{ID: sum}, true, nil
		}
		return Token{}, false, errors.New("gone")
	})
	var all sync.WaitGroup
	all.Go(func() {
		if token, ok, err := l.token("a"); !ok || err != nil || token.ID != "a" {
			t.Errorf("the first: %+v %v %v", token, ok, err)
		}
	})
	<-begun
	var refused sync.WaitGroup
	came := make(chan bool, many)
	for range many {
		refused.Go(func() {
			came <- true
			if _, ok, err := l.token("a"); ok || err == nil {
				t.Errorf("one that came after: %v %v", ok, err)
			}
		})
	}
	for range many {
		<-came
	}
	testkit.WaitFor(t, "the others", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.next["a"] != nil
	})
	close(revoked)
	all.Wait()
	refused.Wait()
	// A goroutine that was slow to come may have asked again.
	if asked > 2+many/2 {
		t.Errorf("%d requests asked %d times", many+1, asked)
	}
	testkit.WaitFor(t, "the end", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.running)+len(l.next) == 0
	})
}
