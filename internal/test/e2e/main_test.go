package e2e

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the root of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
	for _, fn := range atEnd {
		fn()
	}
}

// atEnd runs when all tests are done.
var atEnd []func()
