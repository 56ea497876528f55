package pgstore

import (
	"errors"
	"testing"
	"testing/synctest"
)

// However many requests bring a token at once, it is asked for once at a time, and the answer to a
// request was asked for after it came: a token that was revoked before admits it no more.
func TestLookupsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		revoked, asked := make(chan bool), 0
		l := newLookups(func(sum string) (Token, bool, error) {
			if asked++; asked == 1 {
				<-revoked
				return Token{ID: sum}, true, nil
			}
			return Token{}, false, errors.New("gone")
		})
		go func() {
			if token, ok, err := l.token("a"); !ok || err != nil || token.ID != "a" {
				t.Errorf("the first: %+v %v %v", token, ok, err)
			}
		}()
		synctest.Wait()
		for range 50 {
			go func() {
				if _, ok, err := l.token("a"); ok || err == nil {
					t.Errorf("one that came after: %v %v", ok, err)
				}
			}()
		}
		synctest.Wait()
		close(revoked)
		synctest.Wait()
		if asked != 2 || len(l.running)+len(l.next) != 0 {
			t.Errorf("asked %d times; %d run, %d wait", asked, len(l.running), len(l.next))
		}
	})
}
