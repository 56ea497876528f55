//go:build race

package testkit

// Race is whether the race detector watches the tests, with which they take many times as long.
const Race = true
