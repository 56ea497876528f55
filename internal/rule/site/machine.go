package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// The files of the state that the id of the machine comes from, and that is locked to make it.
const (
	machineName = "machine"
	machineLock = "machine.lock"
)

// machineWait is how long a process waits for another one that makes the id.
const machineWait = 5 * time.Second

// MachineID returns the id of this machine for this person, 32 hex digits of which the first eight
// are shown. The first process that asks makes the random bits in it. The error is ErrNoState,
// wraps ErrForeign or log.ErrLocked, or is that of the file system.
func (b *Book) MachineID() (string, error) { return b.machineOn(hostFacts()) }

// SyncDir is where the list of destinations is, below the book's directory.
const SyncDir = "sync"

func (b *Book) machineOn(host string) (string, error) {
	seed, err := b.machineSeed()
	if errors.Is(err, fs.ErrNotExist) {
		seed, err = b.makeMachineSeed()
	}
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte("machine " + seed + " " + host))
	return hex.EncodeToString(sum[:16]), nil
}

func (b *Book) machineSeed() (string, error) {
	dir, err := b.open("")
	if err != nil {
		return "", err
	}
	defer dir.Close()
	return readSeed(dir)
}

// readSeed returns the random bits. A file that does not hold them is as good as none.
func readSeed(dir *disk.Dir) (string, error) {
	text, err := readMine(dir, machineName, 64)
	seed := strings.TrimSuffix(string(text), "\n")
	if err == nil && !isID(seed) {
		err = fs.ErrNotExist
	}
	return seed, err
}

// makeMachineSeed returns the random bits of the first process that makes them.
func (b *Book) makeMachineSeed() (string, error) {
	dir, err := b.create("")
	if err != nil {
		return "", err
	}
	defer dir.Close()
	lock, err := log.NewLockerOf(dir, machineLock).Acquire(context.Background(), "machine",
		time.Time{}, machineWait)
	if err != nil {
		return "", err
	}
	defer lock.Unlock()
	seed, err := readSeed(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return seed, err
	}
	seed = newID()
	return seed, dir.WriteBytesSync(machineName, []byte(seed+"\n"))
}

// hostFacts returns what identifies this host whatever it boots, and is in no home directory.
func hostFacts() string {
	for _, name := range [...]string{"/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid"} {
		text, _ := os.ReadFile(name)
		if id := strings.TrimSpace(string(text)); len(id) >= 32 { // not "uninitialized"
			return id
		}
	}
	if id := installationID(); id != "" {
		return id
	}
	name, _ := os.Hostname()
	return name + " " + disk.Identity(string(os.PathSeparator))
}
