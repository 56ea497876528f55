package derive

import (
	"strings"
	"testing"
)

// BenchmarkCommands reads a session of a thousand steps.
func BenchmarkCommands(b *testing.B) {
	const five = "! pytest -x\n? rg a\nr a.go\n$ make test\n$ npm run build\n"
	list := steps(strings.Repeat(five, 200))
	for b.Loop() {
		Commands(list)
	}
}

// BenchmarkLoad reads the tables, which the first call of a process does.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load()
	}
}
