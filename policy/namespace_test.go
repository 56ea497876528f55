package policy

import (
	"testing"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
)

// The table, the class of a key and what a backend shows are of one mind.
func TestNamespaces(t *testing.T) {
	of := map[keypath.Class]Namespace{}
	for _, ns := range Namespaces() {
		of[ns.Class] = ns
		if ns.Class.Shown() != (ns.Audience == Everybody) {
			t.Errorf("class %d is shown: %v", ns.Class, ns.Class.Shown())
		}
		for _, prefix := range ns.Prefixes {
			for key, inside := range map[string]bool{
				prefix: true, prefix + "/x/y": true, prefix + "x": false, "/x" + prefix: false,
			} {
				if got := keypath.ClassOf(key) == ns.Class; got != inside {
					t.Errorf("%s is of class %d: %v", key, ns.Class, got)
				}
				shown := Visible(backend.Caller{}, keypath.MustParse(key), content.Fields{})
				if shown != (!inside || ns.Audience == Everybody) {
					t.Errorf("%s is visible, or not", key)
				}
			}
		}
	}
	if len(of) != 3 || of[keypath.Quarantined].Audience != Nobody {
		t.Errorf("%+v", of)
	}
}
