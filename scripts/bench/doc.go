// Command bench measures mem as a whole process, from spawn to exit, next to the least that could do the same work.
//
//	go run ./scripts/bench -mem bin/mem [-out BENCHMARKS.md] [-quick] [-only set,get]
//
// A figure in milliseconds says more about the machine than about the program, so what is judged is a ratio: the median time of mem
// over the median time of a floor, a small C or Go program (or sqlite3, jq, sort) that does only the unavoidable part.
// How the ratio is kept honest on a shared, noisy machine:
//
//   - One spawner for every subject: a static C program that does posix_spawn and wait4 and nothing else (floor/spawn.c says why).
//   - Subjects take turns within one series, so a slow moment of the machine hits all of them.
//   - In each turn a subject runs twice and only the second run counts. What a process leaves for the disk to finish (a renamed file
//     that the next fsync has to commit) is then paid by the same program and not by its rival; caches are equally warm.
//   - Every series starts from a synced file system; long runs (whole batches, compaction, fsck) each do.
//   - The records are the same on every run and every machine: record i depends on i alone.
//
// Files made on the disk stay until the end, and each run works in another part of the disk: ext4 is slow to make files where many
// were deleted in the last minutes (see spreadOut in lab.go).
//
// A missed target is printed, not turned into an exit code: a slow machine is no reason to fail a build. The exit code is 1 when
// something could not be measured at all. A floor whose tool is not installed is skipped with a line that says so.
package main
