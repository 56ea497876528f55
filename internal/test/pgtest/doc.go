// Package pgtest starts the PostgreSQL of this machine for tests: a server of their own, on a unix
// socket in a directory of its own, which ends with the test binary. Where PostgreSQL cannot be had
// the test is skipped, and fails in CI (package testkit).
package pgtest
