package disk

import (
	"os"
	"strings"
)

// MaxBootID is the greatest length of a boot identity in bytes; the rest is cut off.
const MaxBootID = 64

// BootID returns the identity of this run of the kernel: while it stays the same, unsynced writes
// are still there. MEM_BOOT_ID overrides it, so that tests can simulate a reboot. It is printable
// ASCII that needs no escape in JSON, with "?" for anything else. It is empty if the system has
// none.
func BootID() string {
	id := os.Getenv("MEM_BOOT_ID")
	if id == "" {
		id = bootID()
	}
	return strings.Map(plain, id[:min(len(id), MaxBootID)])
}

func plain(r rune) rune {
	if r <= ' ' || r >= 0x7F || r == '"' || r == '\\' {
		return '?'
	}
	return r
}
