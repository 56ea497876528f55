//go:build !linux && !darwin && !windows

package disk

import (
	"errors"
	"os"
)

// spaceOf returns an error: no call is known here for this system.
func spaceOf(*os.File) (Space, error) { return Space{}, errors.ErrUnsupported }
