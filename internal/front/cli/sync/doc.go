// Package sync has the verbs of memd that exchange the memories of this machine with those of
// others: sync and what it says, backup, restore, and the depot that ssh starts on another machine.
// An exchange itself is package exchange's; these verbs find the stores and open the destinations.
package sync
