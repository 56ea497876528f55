package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tracee is a process that is stopped at each of its system calls.
type tracee struct {
	cmd    *exec.Cmd
	counts func(*syscallInfo) (name string, counted bool)
	at     int // the counted call that is hit, from 1; 0 for none
	// hit is what happens to it; false: its thread does not go on.
	hit func(tr *tracee, tid int) (bool, error)
	// exit is called when a call of the thread that was hit comes back; may be nil.
	exit   func(tr *tracee, tid int) error
	calls  int          // counted so far
	last   string       // the newest of them
	thread int          // the one that was hit
	known  map[int]bool // threads that have been seen
}

// traceKill runs a command and sends it SIGKILL when one of its threads, whichever, is about to
// enter the n-th system call that changes a disk. That call is not made. It gives how many such
// calls there were, the last of them, and the exit code; -1 if it was killed.
func traceKill(cmd *exec.Cmd, n int) (calls int, last string, exit int, err error) {
	tr := &tracee{cmd: cmd, counts: changes, at: n, hit: func(tr *tracee, _ int) (bool, error) {
		return false, unix.Kill(tr.cmd.Process.Pid, unix.SIGKILL)
	}}
	exit, err = tr.trace()
	return tr.calls, tr.last, exit, err
}

// trace runs the command to its end and returns its exit code.
func (tr *tracee) trace() (exit int, err error) {
	// Only the thread that began to trace may go on with it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// A process group of its own: waiting for just any child would take those of other tests away.
	tr.cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := tr.cmd.Start(); err != nil {
		return 0, err
	}
	defer tr.cmd.Process.Release()
	tr.known = map[int]bool{}
	return tr.run()
}

const traceOptions = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE |
	unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_EXITKILL

func (tr *tracee) run() (exit int, err error) {
	pid := tr.cmd.Process.Pid
	for {
		var ws unix.WaitStatus
		tid, err := unix.Wait4(-pid, &ws, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, fmt.Errorf("wait: %w", err)
		case tid == pid && ws.Exited():
			return ws.ExitStatus(), nil
		case tid == pid && ws.Signaled():
			return -1, nil
		case ws.Stopped():
			if err := tr.stop(tid, ws); err != nil && !errors.Is(err, unix.ESRCH) {
				return 0, err
			}
		}
	}
}

// stop looks at one stop of one thread and lets it go on.
func (tr *tracee) stop(tid int, ws unix.WaitStatus) error {
	first := !tr.known[tid]
	tr.known[tid] = true
	if len(tr.known) == 1 && first {
		if err := unix.PtraceSetOptions(tid, traceOptions); err != nil {
			return err
		}
	}
	deliver := 0
	switch sig := ws.StopSignal(); {
	case sig == unix.SIGTRAP|0x80:
		if goOn, err := tr.syscall(tid); !goOn || err != nil {
			return err
		}
	case sig == unix.SIGTRAP, first && sig == unix.SIGSTOP:
	default:
		deliver = int(sig)
	}
	return unix.PtraceSyscall(tid, deliver)
}

// syscallInfo is the kernel's struct ptrace_syscall_info at the entry of a call.
type syscallInfo struct {
	op   uint8
	_    [3]uint8
	arch uint32
	ip   uint64
	sp   uint64
	nr   uint64
	args [6]uint64
	_    [16]byte
}

const (
	getSyscallInfo = 0x420e
	atEntry        = 1
)

// syscall looks at the entry of a call, or at its exit.
func (tr *tracee) syscall(tid int) (goOn bool, err error) {
	var info syscallInfo
	if _, _, no := unix.RawSyscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0); no != 0 {
		return false, no
	}
	if info.op != atEntry {
		if tid == tr.thread && tr.exit != nil {
			tr.thread = 0
			return true, tr.exit(tr, tid)
		}
		return true, nil
	}
	name, counted := tr.counts(&info)
	if !counted {
		return true, nil
	}
	tr.calls++
	if tr.at == 0 || tr.calls <= tr.at {
		tr.last = name
	}
	if tr.calls != tr.at {
		return true, nil
	}
	tr.thread = tid
	return tr.hit(tr, tid)
}

// changes counts the calls that change a disk.
func changes(info *syscallInfo) (name string, counted bool) {
	name, counted = changing[int(info.nr)]
	return name, counted && (info.nr != unix.SYS_OPENAT || info.args[2]&unix.O_CREAT != 0)
}

// changing are the system calls by which a Go program changes a disk.
var changing = map[int]string{
	unix.SYS_OPENAT: "openat", unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64",
	unix.SYS_WRITEV: "writev", unix.SYS_PWRITEV: "pwritev",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_MKDIRAT: "mkdirat",
	unix.SYS_UNLINKAT: "unlinkat",
	unix.SYS_LINKAT:   "linkat", unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_FSYNC: "fsync",
	unix.SYS_FDATASYNC: "fdatasync", unix.SYS_SYNCFS: "syncfs",
	unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FALLOCATE: "fallocate", unix.SYS_FCHMOD: "fchmod",
	unix.SYS_FCHMODAT:        "fchmodat",
	unix.SYS_COPY_FILE_RANGE: "copy_file_range", unix.SYS_SENDFILE: "sendfile",
	unix.SYS_UTIMENSAT: "utimensat",
}

// tracing reports why processes cannot be traced here; nil if they can.
func tracing() error {
	calls, _, exit, err := traceKill(exec.Command("/proc/self/exe", "-test.list=^$"), 0)
	if err == nil && (exit != 0 || calls < 0) {
		err = fmt.Errorf("a traced process exits with %d", exit)
	}
	return err
}
