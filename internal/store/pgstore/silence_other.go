//go:build !linux

package pgstore

import "net"

// limitUnacknowledged does nothing: only Linux has the option.
func limitUnacknowledged(*net.TCPConn) {}
