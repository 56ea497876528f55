package setup

import "github.com/set-memory/mem/internal/base/advice"

// inputError is wrong input: in a file that is to be edited, or in the request.
type inputError struct{ text, hint string }

func (e inputError) Error() string { return e.text }

// Kind returns the name of the error's kind, as package mem has it.
func (e inputError) Kind() string { return "input" }

// Advice returns what to do about it.
func (e inputError) Advice() advice.List { return advice.Say(e.hint) }
