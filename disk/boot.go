package disk

import "os"

// MaxBootID is how many bytes of it count.
const MaxBootID = 64

// BootID identifies this run of the kernel: while it stays the same, what was written without a sync is still there. MEM_BOOT_ID
// overrides it, so that tests can play a reboot. Empty where the system does not say.
func BootID() string {
	id := os.Getenv("MEM_BOOT_ID")
	if id == "" {
		id = bootID()
	}
	return id[:min(len(id), MaxBootID)]
}
