package storetest

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem/internal/store/backend"
)

// The configuration is replaced as a whole, its version changes with it, and after an error it is
// as it was. Updates and changes from many sides all count.
func testConfig(s *suite) {
	file, ok := s.Backend.(backend.Configurer)
	if !ok {
		s.Fatal("it cannot be configured")
	}
	set := func(was, text string, failed error) error {
		return file.SetConfig(s.ctx, s.caller(), func(have []byte) ([]byte, error) {
			s.same("was", string(have), was)
			return []byte(text), failed
		})
	}
	is := func(want string) (version string) {
		text, version, err := s.Config(s.ctx, "")
		s.must(err)
		s.same("config", string(text), want)
		again, same, err := s.Config(s.ctx, version)
		if again != nil || same != version || err != nil {
			s.Errorf("version %q again: %q, %q, %v", version, again, same, err)
		}
		return version
	}
	s.must(set("", "{}", nil))
	first := is("{}")
	s.between()
	s.put("/a", "1")
	s.must(set("{}", `{"rotate":{}}`, nil))
	if second := is(`{"rotate":{}}`); second == first {
		s.Error("a change has not changed the version")
	}
	refused := errors.New("refused")
	if err := set(`{"rotate":{}}`, "[]", refused); !errors.Is(err, refused) {
		s.Error(err)
	}
	s.between()
	is(`{"rotate":{}}`)
	s.holds("beside it", "/a", "1")
	const callers = 8
	together(callers, func(i int) {
		s.check(file.SetConfig(s.ctx, s.caller(), func(have []byte) ([]byte, error) {
			return append(have, ' '), nil
		}))
		s.check(s.update(func(tx backend.Tx) error {
			_, err := appendTo(tx, envelopes(fmt.Sprint("/c/", i), "1")...)
			return err
		}))
	})
	is(fmt.Sprintf(`{"rotate":{}}%*s`, callers, ""))
	pairs := []string{"/a", "1"}
	for i := range callers {
		pairs = append(pairs, fmt.Sprint("/c/", i), "1")
	}
	s.holds("at the same time", pairs...)
}
