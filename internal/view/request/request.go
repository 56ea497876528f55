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
	"reflect"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
)

// Request is a request that names its sender.
type Request interface {
	// From returns whom a request is from.
	From() Origin
}

// Origin names the tenant, the session and the agent that a request is from; "" none.
type Origin struct{ Tenant, Session, Agent string }

// Sender names the tenant and the agent that a request is from. A token or a connection may know
// both already. It is not stored.
type Sender struct {
	Tenant string `json:"tenant_id,omitempty" tool:"-"`
	Agent  string `json:"agent_id,omitempty" tool:"-"`
}

// From returns whom a request is from.
func (s *Sender) From() Origin { return Origin{Tenant: s.Tenant, Agent: s.Agent} }

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

// CheckBounds refuses a request with a number that is not within the bounds of its tags.
func CheckBounds(request any) error {
	v := reflect.ValueOf(request).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		least, err := strconv.ParseFloat(f.Tag.Get("min"), 64)
		field := reflect.Indirect(v.FieldByIndex(f.Index))
		if err != nil || !field.CanInt() && !field.CanFloat() {
			continue // it has no bounds, is not given, or has bounds of its length
		}
		n := field.Convert(reflect.TypeFor[float64]()).Float()
		most, err := strconv.ParseFloat(f.Tag.Get("max"), 64)
		if n >= least && (err != nil || n <= most) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if err != nil {
			return &Error{name, "", fmt.Sprintf("want a number above %g", least-1)}
		}
		return &Error{name, "", fmt.Sprintf("want a number from %g to %g", least, most)}
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
