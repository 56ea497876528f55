//go:build !linux

package testkit

const memory = ""

func canHoldRoots() bool { return false }
