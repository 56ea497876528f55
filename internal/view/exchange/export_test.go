package exchange

// SetRoom sets how many bytes are folded in at a time, until the returned function is called.
func SetRoom(n int) (undo func()) {
	was := maxRoom
	maxRoom = n
	return func() { maxRoom = was }
}
