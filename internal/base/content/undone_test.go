package content

import "testing"

// A tombstone of a move says that the memory is elsewhere, and so does that of its undo.
func TestLeftByMove(t *testing.T) {
	for source, want := range map[string]bool{
		`{"kind":"user","name":"mem move","locator":{"path":"/p"}}`:                   true,
		`{"kind":"user","name":"mem undo","locator":{"undone":"T","command":"move"}}`: true,
		`{"kind":"user","name":"mem undo","locator":{"undone":"T","command":"set"}}`:  false,
		`{"kind":"user","name":"mem rm"}`:                                             false, `"mem move"`: false, ``: false,
	} {
		if got := LeftByMove([]byte(source)); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
