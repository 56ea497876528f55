package seal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"filippo.io/age"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
)

// maxFile is more than any key file has: thousands of identities.
const maxFile = 1 << 20

// keyFile is a key file that was looked at, and read.
type keyFile struct {
	named string // the path that was given
	dir   string // where it really lies
	base  string // its name there
	info  fs.FileInfo
	text  []byte
}

// readFile reads a key file that nobody else may read, and that lies in none of the roots.
func readFile(path string, roots []string) (*keyFile, error) {
	if path == "" {
		return nil, ErrNoKey
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if err := outside(path, real, roots); err != nil {
		return nil, err
	}
	k := &keyFile{named: path, dir: filepath.Dir(real), base: filepath.Base(real)}
	dir, err := disk.Open(k.dir)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer dir.Close()
	if err := k.read(dir); err != nil {
		return nil, err
	}
	return k, nil
}

// outside refuses a path that really lies in one of the roots.
func outside(path, real string, roots []string) error {
	for _, root := range roots {
		in, err := disk.IsWithin(root, real)
		if err != nil {
			return fileError(path, err)
		}
		if in {
			return &FileError{Path: path, Fault: "it lies in the memory at " + root,
				Do: advice.Say("move it to a place that no copy of the memory contains")}
		}
	}
	return nil
}

// read judges the open file, and not once more its path, which may lead elsewhere by then.
func (k *keyFile) read(dir *disk.Dir) error {
	f, err := dir.Open(k.base)
	if err != nil {
		return fileError(k.named, err)
	}
	defer f.Close()
	if k.info, err = f.Stat(); err != nil {
		return fileError(k.named, err)
	}
	if err := k.private(); err != nil {
		return err
	}
	if k.text, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
		return fileError(k.named, err)
	}
	if len(k.text) > maxFile {
		return &FileError{Path: k.named, Fault: "too long for a key file"}
	}
	return nil
}

// private refuses a file with a mode that lets others in.
func (k *keyFile) private() error {
	const forRead, forWrite, others = 0o044, 0o022, 0o077
	mode := k.info.Mode().Perm()
	if !disk.HasModes || mode&others == 0 {
		return nil
	}
	var may []string
	if mode&forRead != 0 {
		may = append(may, "read")
	}
	if mode&forWrite != 0 {
		may = append(may, "write")
	}
	if len(may) == 0 {
		may = []string{"run"}
	}
	return &FileError{Path: k.named,
		Fault: fmt.Sprintf("mode %04o lets others %s it", mode, strings.Join(may, " and ")),
		Do:    advice.Say("chmod 600 " + advice.Quote(k.named))}
}

// makeDurable makes the file that was read durable, where it can be replaced at all.
func (k *keyFile) makeDurable() error {
	dir, err := disk.Open(k.dir)
	if err != nil {
		return ignoreReadOnly(err)
	}
	defer dir.Close()
	// A Rotate may be between its rename and its sync, or have crashed there. A power cut before
	// this would bring back the old file, and texts sealed to the new identity would be lost.
	return ignoreReadOnly(dir.Sync())
}

func ignoreReadOnly(err error) error {
	for _, harmless := range []error{fs.ErrPermission, syscall.EROFS, syscall.EINVAL,
		errors.ErrUnsupported} {
		if errors.Is(err, harmless) {
			return nil
		}
	}
	return err
}

func (k *keyFile) keys() (*Keys, error) {
	keys := &Keys{}
	n := 0
	for line := range bytes.Lines(k.text) {
		n++
		text := string(bytes.TrimSpace(line))
		if text == "" || text[0] == '#' {
			continue
		}
		// The cause is left out: it may quote the line.
		found, err := age.ParseIdentities(strings.NewReader(text))
		if err != nil || !keys.add(found) {
			return nil, &FileError{Path: k.named, Fault: fmt.Sprintf("line %d is no identity", n),
				Do: advice.Say("an identity is a line AGE-SECRET-KEY-1..., as age-keygen writes " +
					"it")}
		}
	}
	if keys.newest == nil {
		return nil, &FileError{Path: k.named, Fault: "no identity is in it",
			Do: advice.RunAlone("key new", "FILE").Then(" makes one: a line AGE-SECRET-KEY-1...")}
	}
	return keys, nil
}
