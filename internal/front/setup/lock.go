package setup

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem/log"
)

// lockWait is how long a setup waits for another one.
const lockWait = 10 * time.Second

// Lock waits until no other process sets up clients of this home, and keeps others from it until
// unlock is called. The home itself is locked: a file for that would be left behind by a removal.
// Where the system cannot lock it, [Apply] still compares each file before it replaces it.
func (p Surroundings) Lock() (unlock func(), err error) {
	lock := flock.New(p.Home, flock.SetFlag(os.O_RDONLY))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	_, err = lock.TryLockContext(ctx, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &log.LockedError{Wait: lockWait}
	}
	return func() { lock.Close() }, nil
}
