// Command flood measures how long one tenant of memd waits while a token of another tenant floods
// it, in one way after the other: stalled, dripping, busy, huge, deep.
//
//	go run ./scripts/flood -memd bin/memd [-postgres] [-only PATTERN] [-sizes 10,100] [-for 10s]
//
// memd is a process of its own over TCP, with 15,000 memories of the flooding tenant, on files or,
// with -postgres, on a PostgreSQL that the command starts. For each way and number of concurrent
// requests it prints the median and the p99 of another tenant's GET of one memory right before,
// beside and after the flood, how many GETs there were beside it, the most memory that memd had,
// and what the flood was answered.
package main
