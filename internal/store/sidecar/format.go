package sidecar

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
)

// Dir is the directory of all sidecars, below a memory root.
const Dir = "cache"

// ErrStale is wrapped by every error that says that a sidecar cannot be used: it is not one of this
// state or of this version, or it is damaged.
var ErrStale = errors.New("no sidecar for this state")

// Format describes the sidecar of one package.
type Format struct {
	File     string // its name below Dir
	Magic    string // 8 bytes
	PageSize int    // bytes under one sum: few for readers that jump about
	Sections int
	Numbers  int   // how many the footer has for the format's own use
	Stale    error // made by [NewStale]: what the errors of this sidecar wrap
}

// NewStale returns an error, which wraps [ErrStale], for sidecars of one format.
func NewStale(what string) error { return staleError(what) }

type staleError string

func (what staleError) Error() string { return "no " + string(what) + " for this state" }

func (staleError) Unwrap() error { return ErrStale }

func (f *Format) stale(why string) error { return fmt.Errorf("%w: %s", f.Stale, why) }

// Where the parts of the footer stand, counted from its beginning.
func (f *Format) atEnds() int      { return 8 * f.Numbers }
func (f *Format) atStateSize() int { return f.atEnds() + 8*f.Sections }
func (f *Format) atStateSum() int  { return f.atStateSize() + 8 }
func (f *Format) atPageSum() int   { return f.atStateSum() + sha256.Size }
func (f *Format) atSum() int       { return f.atPageSum() + 4 }
func (f *Format) atMagic() int     { return f.atSum() + 4 }
func (f *Format) footerSize() int  { return f.atMagic() + len(f.Magic) }

// parseSum returns the bytes of a SHA-256 in hex.
func parseSum(text string) ([]byte, error) {
	sum, err := hex.DecodeString(text)
	if err == nil && len(sum) != sha256.Size {
		err = hex.ErrLength
	}
	if err != nil {
		return nil, fmt.Errorf("sidecar: %q is no SHA-256: %w", text, err)
	}
	return sum, nil
}

// castagnoli makes its table at the first use: most processes of mem touch no sidecar.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })
