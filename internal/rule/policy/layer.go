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

// privateSpaces belong to the user layer where git tracks the project's store: they hold words and
// actions of conversations, which a project does not want to publish.
var privateSpaces = []string{"/session", "/event", "/handoff", "/artifact"}

// LayerOf returns the layer that a new memory of a key goes to in a project: personal memories and
// an agent's own go to the user layer. tracked reports whether git tracks the project's store; it
// is called only where that matters.
func LayerOf(key keypath.Key, tracked func() bool) string {
	switch class := key.Class(); {
	case class == keypath.Personal, class == keypath.Private,
		isBelow(key, privateSpaces) && tracked():
		return UserLayer
	}
	return ProjectLayer
}

// CheckLayer refuses a key that the project's store must not hold, forced or not; see [LayerOf].
// The error is a *ReservedError.
func CheckLayer(key keypath.Key, tracked func() bool) error {
	switch class := key.Class(); {
	case class == keypath.Private:
		return &ReservedError{Key: key,
			Why:  "an agent's private entries are in no project's store",
			Todo: advice.Shell("--layer user stores them")}
	case isSaid(class) && tracked():
		return &ReservedError{Key: key,
			Why:  "git tracks this store, and would publish the session",
			Todo: advice.Shell("--layer user stores them")}
	}
	return nil
}

// CheckTeam refuses a key that belongs to a person's own layer in a project's memory behind a
// server, which a team reads. The error is a *ReservedError.
func CheckTeam(key keypath.Key) error {
	if LayerOf(key, func() bool { return false }) == ProjectLayer {
		return nil
	}
	return &ReservedError{Key: key, Why: "it is a person's own, and a team reads this memory",
		Todo: advice.Shell("--layer user stores it on your machine")}
}

// isSaid reports whether the records of a class come from sessions.
func isSaid(class keypath.Class) bool {
	return slices.Contains([]keypath.Class{keypath.Remembered, keypath.SessionInfo, keypath.Event,
		keypath.Artifact, keypath.Handoff}, class)
}

func isBelow(key keypath.Key, spaces []string) bool {
	return slices.ContainsFunc(spaces, func(space string) bool {
		rest, inside := strings.CutPrefix(key.String(), space)
		return inside && (rest == "" || rest[0] == '/')
	})
}
