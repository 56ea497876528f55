package storetest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
)

// erase erases keys.
func (s *suite) erase(forget bool, reason string, keys ...string) (backend.Proof, error) {
	s.Helper()
	eraser, ok := s.Backend.(backend.Eraser)
	if !ok {
		s.Fatal("it cannot erase")
	}
	return eraser.Erase(s.ctx, s.caller(), backend.Erasure{
		Keys: keysOf(keys...), Reason: reason, Forget: forget,
		Source: []byte(`{"kind":"user","name":"mem forget","purged":true}`),
	})
}

// What is erased has one tombstone and nothing else, whatever there was and wherever it lay; all
// else stays, and the key may be written again.
func testErase(s *suite) {
	for i := range 3 {
		s.put("/secret", fmt.Sprintf(`"zanzibar %d"`, i), "/x", fmt.Sprint(i))
		s.between()
	}
	s.put("/gone", `"mombasa"`)
	s.put("/gone", "null")
	s.between()
	_, err := s.erase(false, "it was zanzibar 1", "/secret")
	if !errors.Is(err, backend.ErrReason) {
		s.Errorf("a reason with a value: %v", err)
	}
	s.holds("refused", "/secret", `"zanzibar 2"`, "/x", "2")
	proof, err := s.erase(false, "wrong", "/secret", "/gone")
	s.must(err)
	s.same("versions", proof.Versions, 5)
	s.same("remains", proof.Remains, []string{})
	s.holds("erased", "/secret", none, "/gone", none, "/x", "2")
	for _, key := range []string{"/secret", "/gone"} {
		s.versionsAre(key, "null")
	}
	for _, rec := range s.history() {
		for _, value := range []string{"zanzibar", "mombasa"} {
			if strings.Contains(string(rec.Line), value) {
				s.Errorf("still there: %s", rec.Line)
			}
		}
		if rec.Key.String() != "/x" && !content.IsPurgeMark(rec) {
			s.Errorf("no mark: %s", rec.Line)
		}
	}
	s.versionsAre("/x", "2 1 0")
	s.between()
	e := envelopes("/secret", `"from a backup"`)[0]
	e.TS = proof.Horizon - 1e6
	if _, err := write(s.ctx, s, s.caller(), "import", e); !errors.Is(err, backend.ErrOlder) {
		s.Errorf("an older version comes back: %v", err)
	}
	s.put("/secret", `"new"`)
	s.between()
	s.holds("written again", "/secret", `"new"`, "/gone", none, "/x", "2")
	proof, err = s.erase(false, "", "/none")
	s.must(err)
	s.same("nothing", proof.Versions, 0)
}

// Without tombstones nothing is left, but that a number is never given twice.
func testEraseKeys(s *suite) {
	note := func(want int64) {
		s.must(s.update(func(tx backend.Tx) error {
			n, err := tx.NextNumber(s.ctx, "note")
			if err == nil {
				s.same("number", n, want)
				_, err = appendTo(tx, envelopes(fmt.Sprint("/note/user/m-", n), `"zanzibar"`)...)
			}
			return err
		}))
	}
	note(1)
	s.put("/x", "1")
	note(2)
	s.between()
	proof, err := s.erase(true, "", "/note/user/m-2")
	s.must(err)
	s.same("versions", proof.Versions, 1)
	s.versionsAre("/note/user/m-2", "")
	s.holds("erased", "/x", "1", "/note/user/m-1", `"zanzibar"`)
	s.between()
	note(3)
	s.holds("later", "/x", "1", "/note/user/m-1", `"zanzibar"`, "/note/user/m-3", `"zanzibar"`)
}
