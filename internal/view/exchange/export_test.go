package exchange

// SetRoom sets how many bytes are folded in at a time, until the returned function is called.
func SetRoom(n int) (undo func()) {
	all, plain := maxRoom, plainRoom
	maxRoom, plainRoom = n, n
	return func() { maxRoom, plainRoom = all, plain }
}
