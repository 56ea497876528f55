package pgstore

import "sync"

// lookups asks for each token once at a time: the requests that come meanwhile with the same one
// share the next answer, which is asked for after they came, so a revoked token admits none of
// them. Else the requests of one token would wait before those of all others, of which it is not
// yet known whose they are.
type lookups struct {
	ask func(sum string) (Token, bool, error)

	mu      sync.Mutex
	running map[string]bool
	next    map[string]*lookup
}

// lookup is an answer that is waited for.
type lookup struct {
	done  chan struct{}
	token Token
	ok    bool
	err   error
}

func newLookups(ask func(string) (Token, bool, error)) *lookups {
	return &lookups{ask: ask, running: map[string]bool{}, next: map[string]*lookup{}}
}

// token returns the token with a sum; false if there is none.
func (l *lookups) token(sum string) (Token, bool, error) {
	l.mu.Lock()
	one := l.next[sum]
	if one == nil {
		one = &lookup{done: make(chan struct{})}
		l.next[sum] = one
	}
	if !l.running[sum] {
		l.running[sum] = true
		go l.run(sum)
	}
	l.mu.Unlock()
	<-one.done // it is answered in a time
	return one.token, one.ok, one.err
}

// run asks until nobody waits.
func (l *lookups) run(sum string) {
	for one := l.take(sum); one != nil; one = l.take(sum) {
		one.token, one.ok, one.err = l.ask(sum)
		close(one.done)
	}
}

// take returns the next one; nil at the end.
func (l *lookups) take(sum string) *lookup {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.next[sum]
	if delete(l.next, sum); one == nil {
		delete(l.running, sum)
	}
	return one
}
