package testkit

import "golang.org/x/sys/unix"

// memory is where files lie in memory.
const memory = "/dev/shm"

// leastInMemory is the room that the tests which run at once need there, with what they build.
const leastInMemory = 2 << 30

// canHoldRoots reports whether there is room in memory, for programs too.
func canHoldRoots() bool {
	var fs unix.Statfs_t
	err := unix.Statfs(memory, &fs)
	return err == nil && unix.Access(memory, unix.W_OK|unix.X_OK) == nil &&
		fs.Flags&unix.ST_NOEXEC == 0 && fs.Bavail*uint64(fs.Bsize) >= leastInMemory
}
