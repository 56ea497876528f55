// Package request is what the requests of all views have in common. A request is a struct of its
// view. The command line fills it from flags, and servers decode it: by the names of its json tags,
// or from the query of an address by those of its query tags where they differ. openapi.json and
// the tools of the protocol server are generated from it. Tags say what a type does not:
//
//	query:"NAME"    the name in a query; "-": it is not in one
//	tool:"-"        the schemas of tools omit it
//	enum:"LIST"     it is one of a list of values
//	min:"N" max:"N" bounds of a number, or of a length; of a list above policy.MaxList, its bound
//	require:"NAME"  of an embedded struct: the member that is required here, and not empty
package request

import (
	"fmt"

	"github.com/set-memory/mem"
)

// Request is a request that names its sender.
type Request interface {
	// From returns the tenant, the session and the agent that a request is from; "" none.
	From() (tenant, session, agent string)
}

// Sender names the tenant and the agent that a request is from. A token or a connection may know
// both already. It is not stored.
type Sender struct {
	Tenant string `json:"tenant_id,omitempty" tool:"-"`
	Agent  string `json:"agent_id,omitempty" tool:"-"`
}

// From returns the tenant, the session and the agent that a request is from.
func (s *Sender) From() (tenant, session, agent string) { return s.Tenant, "", s.Agent }

// Limit sets the number of results that a request wants where it names none. The error wraps
// mem.ErrInput.
func Limit(wanted **int, otherwise, most int) error {
	if *wanted == nil {
		*wanted = &otherwise
	}
	if n := **wanted; n < 1 || n > most {
		return &Error{"limit", "", fmt.Sprintf("want 1 to %d", most)}
	}
	return nil
}

// Error is something wrong with a member of a request; errors.Is(err, mem.ErrInput) holds.
type Error struct {
	Member string
	Value  string // "": it is not shown
	Why    string
}

func (e *Error) Error() string {
	if e.Value == "" {
		return e.Member + ": " + e.Why
	}
	return fmt.Sprintf("%s %.20q: %s", e.Member, e.Value, e.Why)
}

// Is makes every Error bad input.
func (e *Error) Is(target error) bool { return target == mem.ErrInput }
