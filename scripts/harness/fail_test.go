package harness

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTryReturnsTheErrorOfCheckAlone(t *testing.T) {
	if err := Try(func() { Check(nil) }); err != nil {
		t.Errorf("of no error: %v", err)
	}
	if err := Try(func() { Must(0, io.EOF) }); err != io.EOF {
		t.Errorf("Must: %v", err)
	}
	err := Try(func() { Within("a", func() { Failf("b: %w", io.EOF) }) })
	if err == nil || err.Error() != "a: b: EOF" || !errors.Is(err, io.EOF) {
		t.Errorf("Within: %v", err)
	}
	defer func() {
		if recover() != "another" {
			t.Error("another panic was taken for an error")
		}
	}()
	_ = Try(func() { panic("another") })
}

func TestTogetherEndsWithAllErrors(t *testing.T) {
	err := Try(func() {
		Together(3, func(i int) {
			if i > 0 {
				Failf("error %d", i)
			}
		})
	})
	if err == nil || !strings.Contains(err.Error(), "error 1\nerror 2") {
		t.Errorf("%v", err)
	}
}
