package disk

import (
	"os"
	"strings"
)

// MaxBootID is how many bytes of it count.
const MaxBootID = 64

// BootID identifies this run of the kernel: while it stays the same, what was written without a sync is still there. MEM_BOOT_ID
// overrides it, so that tests can play a reboot. It is printable ASCII that needs no escape in JSON, with "?" for anything else. Empty
// where the system does not say.
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
