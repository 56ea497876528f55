// Package e2e tests the module from outside: the real binaries in a real shell (console sessions,
// terminals, kills, power cuts, storms of processes), and the public API on every kind of store. It
// has tests alone. They run in the root of the module, where the sources and testdata are.
package e2e
