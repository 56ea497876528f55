package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

// A hint names --force only to a verb that has it.
func TestReservedHintIsTrue(t *testing.T) {
	key := keypath.MustParse("/agent/ada/core/" + ulid)
	for _, verb := range []string{"set", "rm", "mv", "merge", "edit", "import", "touch",
		"supersede", "approve", "remember", "session"} {
		var reserved *ReservedError
		if err := CheckVerb(key, VerbNamed(verb)); !errors.As(err, &reserved) {
			t.Errorf("mem %s: %v", verb, err)
			continue
		}
		has := slices.Contains([]string{"set", "rm", "mv", "merge", "edit", "import"}, verb)
		if strings.Contains(reserved.Todo.String(), "--force") != has {
			t.Errorf("mem %s: %s", verb, reserved.Todo.String())
		}
		backup := strings.HasPrefix(reserved.Todo.String(), "--mine ")
		if backup != (verb == "import") {
			t.Errorf("mem %s: %s", verb, reserved.Todo.String())
		}
	}
}
