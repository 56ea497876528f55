package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// cpu is the processor time that each kind of process has used. On a machine that others use, too,
// it says more than a rate.
type cpu struct{ memd, server, callers time.Duration }

// used returns the time that was used up to now.
func (l *lab) used() (c cpu) {
	for _, d := range l.daemons {
		c.memd += usedBy(d.Process.Process.Pid)
	}
	c.server = l.usedByServer()
	c.callers = usedBy(os.Getpid()) // with pgbench, when that has ended
	return c
}

// perEvent returns the time for one of so many events since another moment.
func (c cpu) perEvent(since cpu, events float64) cpu {
	each := func(now, before time.Duration) time.Duration {
		return time.Duration(float64(now-before) / max(events, 1))
	}
	return cpu{each(c.memd, since.memd), each(c.server, since.server),
		each(c.callers, since.callers)}
}

func (c cpu) String() string {
	return fmt.Sprintf("memd %s, server %s, callers %s", harness.Duration(c.memd),
		harness.Duration(c.server), harness.Duration(c.callers))
}

// usedByServer is the time of the server and of its processes, those that have ended too.
func (l *lab) usedByServer() (sum time.Duration) {
	text := harness.Must(os.ReadFile(filepath.Join(l.server.Dir, "data", "postmaster.pid")))
	first, _, _ := strings.Cut(string(text), "\n")
	parent := harness.Must(strconv.Atoi(first))
	sum = usedBy(parent)
	for _, path := range harness.Must(filepath.Glob("/proc/[0-9]*/stat")) {
		if fields := statFields(path); len(fields) > 1 && fields[1] == first {
			sum += ticks(fields, 11, 12)
		}
	}
	return sum
}

// usedBy returns the time of a process, and of its children that have ended.
func usedBy(pid int) time.Duration {
	return ticks(statFields(fmt.Sprintf("/proc/%d/stat", pid)), 11, 12, 13, 14)
}

// statFields returns what stands after the name of a process; nothing where it has ended.
func statFields(path string) []string {
	text, _ := os.ReadFile(path)
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// ticks adds up fields that count hundredths of a second.
func ticks(fields []string, at ...int) (sum time.Duration) {
	for _, i := range at {
		if i < len(fields) {
			n, _ := strconv.Atoi(fields[i])
			sum += time.Duration(n) * time.Second / 100
		}
	}
	return sum
}
