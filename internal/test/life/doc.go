// Package life simulates years of a person who keeps memories on several machines.
//
// A life is drawn by rapid: two to four machines with a home each, one to three depots between
// them, the user's own memory and those of two projects. A machine runs the verbs of the program
// themselves, in this process, each at the time of its own clock. Steps are drawn from one table
// with fixed weights: whatever changes a memory, exchanges it, brings an older state back, or harms
// a file. A verb may be killed at any call that changes the disk, and may meet a full disk.
//
// The model is small. After each step it reads the histories of the machine and notes the lines
// that are new: who wrote them, which versions of the key the writer had seen, and whether the verb
// acknowledged them. It knows what a person purged, and which lines a harm took. In the end the
// clocks are right, each machine is repaired as fsck says, all exchange until nothing moves, and
// the checks of the second table hold the machines against each other and against the model.
//
// A life uses the disk under /dev/shm. Of all machines one is awake, whose home lies at the same
// path as that of the others when they are: paths within a home are those of a real machine.
package life
