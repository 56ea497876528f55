package parcel

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"golang.org/x/crypto/chacha20poly1305"
)

var (
	// ErrKey is returned for a text that is no key.
	ErrKey = errors.New("no valid key of a sync")
	// ErrSealed is returned for bytes that were not sealed with the key for the place.
	ErrSealed = errors.New("not sealed with this key for this place, or changed since")
	// ErrOpen is wrapped for a key file that others can read.
	ErrOpen = errors.New("others may read it")
)

// Magic is how sealed bytes begin.
const Magic = "mem-parcel 1\n"

// Key is the key that the machines of one person share.
type Key [chacha20poly1305.KeySize]byte

const (
	prefix  = "mem-sync-"
	sumLen  = 8
	maxFile = 64 << 10
)

var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// New returns a new key.
func New() (k Key) {
	rand.Read(k[:])
	return k
}

// Parse parses a key as people type it.
func Parse(text string) (k Key, err error) {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), ""), "-", "")
	text = strings.TrimPrefix(strings.ToLower(text), strings.ReplaceAll(prefix, "-", ""))
	raw, err := letters.DecodeString(strings.ToUpper(text))
	if err != nil || len(raw) != len(k)+sumLen {
		return k, ErrKey
	}
	copy(k[:], raw)
	if !bytes.Equal(k.sum(), raw[len(k):]) {
		return Key{}, ErrKey
	}
	return k, nil
}

func (k Key) sum() []byte {
	sum := sha256.Sum256(k[:])
	return sum[:sumLen]
}

// String returns the key for people. It is secret.
func (k Key) String() string {
	text := strings.ToLower(letters.EncodeToString(append(k[:], k.sum()...)))
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return prefix + strings.Join(append(groups, text), "-")
}

// Load reads a key file. The error is fs.ErrNotExist's where there is none, or wraps ErrOpen or
// ErrKey.
func Load(path string) (keys []Key, err error) {
	dir, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	name := filepath.Base(path)
	fi, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if disk.HasModes && fi.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrOpen)
	}
	text, err := dir.ReadFile(name, maxFile)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		k, err := Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// Save replaces a key file.
func Save(path string, keys []Key) error {
	dir, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	// A crash within leaves the old file, and a temporary one whose new key sealed nothing.
	return dir.WriteFileSync(filepath.Base(path), func(w io.Writer) error {
		for _, k := range keys {
			if _, err := fmt.Fprintln(w, k); err != nil {
				return err
			}
		}
		return nil
	})
}

// Seal seals bytes for a place.
func (k Key) Seal(place string, plain []byte) ([]byte, error) {
	aead, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(Magic)+aead.NonceSize(),
		len(Magic)+aead.NonceSize()+len(plain)+aead.Overhead())
	copy(out, Magic)
	nonce := out[len(Magic):]
	rand.Read(nonce)
	return aead.Seal(out, nonce, plain, []byte(Magic+place)), nil
}

// Open opens bytes that were sealed for a place. The error is ErrSealed.
func (k Key) Open(place string, sealed []byte) ([]byte, error) {
	aead, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(sealed, []byte(Magic))
	if !ok || len(rest) < aead.NonceSize() {
		return nil, ErrSealed
	}
	plain, err := aead.Open(nil, rest[:aead.NonceSize()], rest[aead.NonceSize():],
		[]byte(Magic+place))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}
