//go:build !linux

package disk

import "os"

func syncData(f *os.File) error { return f.Sync() }

// bootID returns "", because no call here makes a whole file system durable: every index change is
// then synced by itself, and a reboot loses nothing.
func bootID() string { return "" }

// SyncTree does nothing: see bootID.
func (d *Dir) SyncTree() error { return nil }

// renameOver puts a temporary file in the place of another.
func renameOver(d *Dir, temp, name string) error { return d.Rename(temp, name) }
