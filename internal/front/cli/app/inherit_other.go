//go:build unix && !linux

package app

// keepDescriptors keeps what the caller had open when it started mem from the processes that mem
// starts: they may live on when the caller believes that it has let go.
func keepDescriptors() { keepListed("/dev/fd") }
