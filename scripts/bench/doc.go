// Command bench measures mem as a whole process, from spawn to exit, next to what people would use
// in its place and to the least that could do the same work.
//
//	go run ./scripts/bench -mem bin/mem [-out BENCHMARKS.md] [-quick] [-only set,get]
//	go run ./scripts/bench -old REVISION [-runs 1000]
//
// The first makes a report, the second compares the working tree with a revision. A figure in
// milliseconds says more about the machine than about the program, so what counts is a ratio of
// medians. How it is kept honest on a shared, noisy machine:
//
//   - One spawner for every subject: a static C program that does posix_spawn and wait4 and nothing
//     else (floor/spawn.c says why).
//   - Subjects take turns within one series, so a slow moment of the machine hits all of them.
//   - In a report each runs twice in a turn and only the second run counts. What a process leaves for
//     the disk to finish (a renamed file that the next fsync has to commit) is then paid by the same
//     program and not by its rival; caches are equally warm.
//   - In a comparison the two builds run in pairs, in drawn order, each first in half of them; several
//     copies of each binary take turns (see copies in compare.go).
//   - Every series starts from a synced file system; long runs (batches, compaction, fsck) each do.
//   - The records are the same on every run and every machine: record i depends on i alone.
//
// Files made on the disk stay until the end, and each run works in another part of the disk: ext4
// is slow to make files where many were deleted in the last minutes (see scratch in lab.go).
//
// In a report the exit code is 1 when something could not be measured; a rival whose tool is not
// installed leaves its cells empty. In a comparison it is 1 as well when a verb is slower than its
// bound allows: when the whole 95 % interval of the ratio lies above it.
package main
