package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
)

func TestFault(t *testing.T) {
	do := advice.Say("try again")
	inner := &fault.Fault{Code: "io", What: "disk", Err: io.ErrNoProgress, Do: do}
	for _, c := range []struct {
		err              error
		text, kind, hint string
		is               error // nil: nothing
	}{
		{fault.New("no", "nothing is there", nil), "nothing is there", "no", "", nil},
		{fault.Input("--to x", "want a number", do), "--to x: want a number", "input", "try again",
			fault.ErrInput},
		{fault.Input("first\nsecond", "no", nil), "first ...: no", "input", "", fault.ErrInput},
		{fault.Wrap("no", "x", io.EOF, do), "x: EOF", "no", "try again", io.EOF},
		{inner, "disk: " + io.ErrNoProgress.Error(), "io", "try again", io.ErrNoProgress},
		{&fault.Fault{Err: fmt.Errorf("read: %w", inner)}, "read: " + inner.Error(), "io",
			"try again", io.ErrNoProgress},
		{&fault.Fault{Code: "locked", Err: inner, Do: advice.Say("wait")}, inner.Error(), "locked",
			"wait", io.ErrNoProgress},
		{&fault.Fault{What: "x", Why: "y", Err: io.EOF}, "x: y", "", "", io.EOF},
		{&fault.Fault{}, "", "", "", nil},
	} {
		f := c.err.(*fault.Fault)
		if got := []string{f.Error(), f.Kind(), f.Advice().String()}; got[0] != c.text ||
			got[1] != c.kind || got[2] != c.hint {
			t.Errorf("%q, want %q, %q, %q", got, c.text, c.kind, c.hint)
		}
		if c.is != nil && !errors.Is(fmt.Errorf("wrapped: %w", c.err), c.is) ||
			c.is == nil && errors.Unwrap(c.err) != nil {
			t.Errorf("%v: not %v", c.err, c.is)
		}
	}
}
