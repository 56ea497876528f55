//go:build !linux

package testkit

import "time"

var started = time.Now()

// CPUTime returns the time since the process began: see cpu_linux.go.
func CPUTime() time.Duration { return time.Since(started) }
