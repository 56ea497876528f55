package testkit

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal returns both ends of a terminal of some columns, 0 for one that does not say: what is
// written to the second is read from the first.
func Terminal(t testing.TB, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	Need(t, err == nil, "a terminal")
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	Need(t, err == nil, "a terminal")
	t.Cleanup(func() { slave.Close() })
	if columns > 0 {
		size := unix.Winsize{Row: 24, Col: columns}
		if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &size); err != nil {
			t.Fatal(err)
		}
	}
	return master, slave
}
