package doctor

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
)

// Level is how bad what a check found is.
type Level string

// The levels.
const (
	OK   Level = "ok"
	Warn Level = "warn" // it works, but should not stay so
	Bad  Level = "bad"  // something does not work
)

// Check is one thing that was checked, and the result.
type Check struct {
	What    string `json:"what"`
	Message string `json:"message"`
	Level   Level  `json:"level"`
	Fix     string `json:"fix,omitempty"` // what to type, or to do; empty where nothing needs doing
	// Layer is the store that it is about, where there are several.
	Layer string `json:"layer,omitempty"`
}

// Diagnose checks the store below path, in milliseconds however large it is. It changes nothing,
// waits for nothing and does not fail: what it cannot check is reported by a check.
func Diagnose(path string, o mem.Options) (list []Check) {
	s, err := mem.Open(path, o)
	if err != nil {
		fix := "give another directory with --root, or make this one readable"
		if errors.Is(err, log.ErrNewer) {
			fix = "install the newer mem"
		}
		return []Check{{What: "root", Message: err.Error(), Level: Bad, Fix: fix}}
	}
	defer s.Close()
	for _, r := range s.Examine(context.Background()) {
		c := Check{What: r.What, Message: r.Message, Level: OK, Fix: r.Fix}
		switch {
		case r.Bad:
			c.Level = Bad
		case r.Fix != "":
			c.Level = Warn
		}
		list = append(list, c)
	}
	return list
}

// Diagnosis answers the question whether all is well with a store.
type Diagnosis struct {
	Findings []Check `json:"findings"`
	Root     string  `json:"root"`
}
