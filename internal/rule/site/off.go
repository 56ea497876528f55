package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// offFile returns the file whose presence says that no hook injects anything for a store, by its
// root, or in a conversation, by its name.
func (b *Book) offFile(name string) (string, error) {
	if b.state == "" {
		return "", ErrNoState
	}
	if !strings.HasPrefix(name, conversation) {
		path, err := Absolute(name)
		if err != nil {
			return "", err
		}
		name = path
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(b.state, "off", hex.EncodeToString(sum[:16])), nil
}

// conversation begins the name of a conversation; no path has the zero byte.
const conversation = "\x00"

// Conversation returns the name of a client's conversation for SetOff and IsOff.
func Conversation(client, id string) string { return conversation + client + "\x00" + id }

// IsOff reports whether hooks are off for a store or in a conversation.
func (b *Book) IsOff(root string) bool {
	file, err := b.offFile(root)
	if err != nil {
		return false
	}
	_, err = os.Lstat(file)
	return err == nil
}

// SetOff turns hooks off or on, and reports whether that changed anything.
func (b *Book) SetOff(root string, off bool) (changed bool, err error) {
	file, err := b.offFile(root)
	if err != nil {
		return false, err
	}
	if !off {
		// After a crash the hooks are on or off.
		err = os.Remove(file)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// ForProject returns the store that stands for the project here: its own, be it behind a server, or
// the only one; nil where there is no project.
func (s *Sites) ForProject() *Site {
	if s.One != nil {
		return s.One
	}
	return cmp.Or(s.Project, s.Served)
}

// WhyOff returns why no hook injects anything here; "" where they do.
func (s *Sites) WhyOff(getenv func(string) string) string {
	if IsOffByEnv(getenv) {
		return "MEM_OFF is set"
	}
	if at := s.ForProject(); at != nil && s.Book.IsOff(at.Root) {
		return "mem off was run here; mem on reverts it"
	}
	return ""
}

// IsOffByEnv reports whether the environment turns hooks off.
func IsOffByEnv(getenv func(string) string) bool {
	switch strings.ToLower(getenv("MEM_OFF")) {
	case "", "0", "false", "no":
		return false
	}
	return true
}
