package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/spf13/cobra"
)

// interrupted returns why a batch ends that the user, or the system, stopped. It is of the kind of
// any other call whose time was over.
func interrupted(by os.Signal) error {
	why := by.String()
	if by == os.Interrupt {
		why = "interrupted"
	}
	return &fault.Fault{Code: string(mem.KindCanceled), Why: why, Err: context.Canceled}
}

// UntilInterrupted returns a context that ends with Ctrl-C or a SIGTERM, for a verb that stores in
// groups and has something to say when it is stopped between them. A second signal ends the process
// at once, as any other verb's first. What the caller was started to ignore is ignored.
func UntilInterrupted(cmd *cobra.Command) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	got := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(sig) {
			signal.Notify(got, sig)
		}
	}
	go func() {
		if sig, ok := <-got; ok {
			signal.Stop(got)
			cancel(interrupted(sig))
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(got)
		cancel(nil)
	}
}
