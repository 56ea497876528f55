// Package storetest is what tests of stores share: the suite that every backend passes, and a store
// of files under test, whose clock and boot id the test sets and which ends with a full fsck.
//
// A new backend keeps the contract of package backend when it passes [Run] from a test of its own,
// as those of filestore and memstore do.
package storetest
