package seal

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
	"github.com/gofrs/flock"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
)

// Create makes a key file with one new identity; at is the time in its comment. Directories that
// are missing are made. The file must not exist, and must lie in none of the roots. The error is
// ErrNoKey for an empty path, else a *FileError.
func Create(path string, at time.Time, roots ...string) error {
	if path == "" {
		return ErrNoKey
	}
	if err := outside(path, path, roots); err != nil {
		return err
	}
	text, err := newIdentity(at)
	if err != nil {
		return fileError(path, err)
	}
	dir, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return fileError(path, err)
	}
	defer dir.Close()
	if err := create(dir, filepath.Base(path), text); err != nil {
		return fileError(path, err)
	}
	return nil
}

// create writes a file that is not there, and syncs it and its name.
func create(dir *disk.Dir, name string, text []byte) error {
	f, err := disk.New(dir, name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		// A crash before this returns leaves a file with any part of the text. Load refuses a part,
		// and nobody has sealed anything with it.
		err = f.Sync()
	}
	disk.Finish(&err, f.Close)
	if err == nil {
		// A power cut before this may take the name away. Nothing is sealed before Create returns.
		err = dir.Sync()
	}
	if err != nil {
		// A crash before this leaves the file with a part of the text, or all.
		dir.Remove(name)
	}
	return err
}

// Rotate adds a new identity to a key file, the newest from the next Load on; at is the time in its
// comment. The error is as that of Load.
func Rotate(path string, at time.Time, roots ...string) error {
	f, err := readFile(path, roots)
	if err != nil {
		return err
	}
	// The lock is not on the key file itself, for that is replaced.
	lock := flock.New(filepath.Join(f.dir, f.base+".lock"), flock.SetPermissions(disk.FileMode))
	if err := lock.Lock(); err != nil {
		return fileError(path, err)
	}
	defer lock.Close()
	// Another Rotate may have replaced the file in the meantime.
	if f, err = readFile(path, roots); err != nil {
		return err
	}
	return f.rotate(at)
}

func (k *keyFile) rotate(at time.Time) error {
	if _, err := k.keys(); err != nil {
		return err
	}
	if owner, ok := disk.Owner(k.info); ok && owner != os.Geteuid() {
		return &FileError{Path: k.named, Fault: "it belongs to another user, and would be yours",
			Do: advice.Say("run as the user whom it belongs to")}
	}
	more, err := newIdentity(at)
	if err != nil {
		return fileError(k.named, err)
	}
	text := k.text
	if text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	dir, err := disk.Open(k.dir)
	if err != nil {
		return fileError(k.named, err)
	}
	defer dir.Close()
	if err := dir.WriteBytesSync(k.base, append(text, more...)); err != nil {
		return fileError(k.named, err)
	}
	return nil
}

// newIdentity returns a new identity with its comments, as age-keygen writes them.
func newIdentity(at time.Time) ([]byte, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("new identity: %w", err)
	}
	return fmt.Appendf(nil, "# created: %s\n# public key: %s\n%s\n",
		at.UTC().Format(time.RFC3339), id.Recipient(), id), nil
}
