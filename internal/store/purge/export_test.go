package purge

// FoundIn reports whether one of the values stands in a text.
func (v *Values) FoundIn(text string) bool { return v.foundIn([]byte(text), false) }
