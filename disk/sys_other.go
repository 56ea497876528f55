//go:build !linux

package disk

import "os"

func syncData(f *os.File) error { return f.Sync() }

// bootID is empty where no call makes a whole file system durable: every index change is then synced by itself, and a reboot takes
// nothing away.
func bootID() string { return "" }

// SyncTree has nothing to do: see bootID.
func (d *Dir) SyncTree() error { return nil }

// supplant puts a temporary file in the place of another.
func (d *Dir) supplant(temp, name string) error { return d.Rename(temp, name) }
