// Command pgbench measures mem on PostgreSQL beside what PostgreSQL itself does with the same
// rows: rows written by its pgbench, words found by a GIN index, bytes of tables made for the
// purpose.
//
//	go run ./scripts/pgbench -mem bin/mem [-events 100000] [-out FILE] [-quick] [-only writes]
//
// The server is one of its own, on a disk, with the durability that PostgreSQL has by itself. A
// figure in milliseconds says more about the machine than about the program, so most goals are
// ratios. How they are kept honest on a shared, noisy machine:
//
//   - Both sides of a ratio run in the same minutes and take turns, each first as often as the
//     other; a ratio is the median of those of the rounds, or of the medians of many pairs.
//   - Everyone writes for one round that does not count, after a checkpoint: later rounds do not
//     pay for whole pages in the WAL.
//   - pgbench prepares its statement and sends the line as a parameter: the fastest that a client
//     can be that commits row by row.
//   - Who is read from has written nothing since, and everyone was asked once before.
//   - The events are the same on every run: event i depends on i alone.
//
// Beside its rate, each writer has the time of processors that an event costs, in memd, in the
// server and in the callers. On a machine that is busy with other work rates fall, and these stay:
// two processors that do nothing else give at most two seconds of them a second. To compare two
// versions, name the memd of the other one with -beside.
//
// With -profile DIR it leaves a profile of its own CPU time of each section there, and what the
// server says it spent the time on. The figures are then those of a slower server.
package main
