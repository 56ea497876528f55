//go:build unix

package serve

import "golang.org/x/sys/unix"

// maxConns returns how many connections of each kind this process may have.
func maxConns() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 2*MaxConns+sparedFiles {
		return MaxConns
	}
	return max(int(limit.Cur)-sparedFiles, int(limit.Cur)/2) / 2
}
