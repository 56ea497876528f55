package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

// interrupted is why a batch ends that the user, or the system, stopped.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string {
	if e.signal == os.Interrupt {
		return "interrupted"
	}
	return e.signal.String()
}

// Kind is that of any other call whose time was over.
func (e *interrupted) Kind() string { return string(mem.KindCanceled) }

// Is makes it a context.Canceled.
func (e *interrupted) Is(target error) bool { return target == context.Canceled }

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
			cancel(&interrupted{sig})
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(got)
		cancel(nil)
	}
}
