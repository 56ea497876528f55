// Package storetest is what tests of stores share: the suite that every backend passes, and a store
// of files under test, whose clock and boot id the test sets and which ends with a full fsck.
package storetest
