package policy

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/keypath"
)

// The layers: a person's own store, and that of the project at hand.
const (
	UserLayer    = "user"
	ProjectLayer = "project"
)

// privateSpaces belong to the user layer where git tracks the project's store: they are what was
// said and done, and not what a project wants to publish.
var privateSpaces = []string{"/session", "/event", "/handoff", "/artifact"}

// LayerOf returns the layer that a new memory of a key goes to where there is a project: what is a
// person's own to the user layer. tracked tells whether git tracks the project's store; it is asked
// only where that matters.
func LayerOf(key keypath.Key, tracked func() bool) string {
	switch class := key.Class(); {
	case class == keypath.Personal, class == keypath.Private,
		isBelow(key, privateSpaces) && tracked():
		return UserLayer
	}
	return ProjectLayer
}

// CheckLayer refuses a key that the project's store is not to hold, whatever is forced: what an
// agent keeps for itself, and where git tracks the store what was said in sessions. tracked is as
// for LayerOf. The error is a *ReservedError.
func CheckLayer(key keypath.Key, tracked func() bool) error {
	switch class := key.Class(); {
	case class == keypath.Private:
		return &ReservedError{Key: key,
			Why:  "what an agent keeps for itself is in no project's store",
			Todo: advice.Shell("--layer user names the one that is for it")}
	case isSaid(class) && tracked():
		return &ReservedError{Key: key,
			Why:  "git tracks this store, and sessions are not to be published",
			Todo: advice.Shell("--layer user names the one that is for them")}
	}
	return nil
}

// isSaid reports whether what is of a class was said or done in sessions.
func isSaid(class keypath.Class) bool {
	return slices.Contains([]keypath.Class{keypath.Told, keypath.SessionInfo, keypath.Event,
		keypath.Artifact, keypath.Handoff}, class)
}

func isBelow(key keypath.Key, spaces []string) bool {
	return slices.ContainsFunc(spaces, func(space string) bool {
		rest, inside := strings.CutPrefix(key.String(), space)
		return inside && (rest == "" || rest[0] == '/')
	})
}
