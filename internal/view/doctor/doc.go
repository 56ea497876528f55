// Package doctor says in a line for each part of a store whether it is as it should be, and what to
// do where it is not: an Exam does so for the stores of a call, what waits there, and the exchanges
// of its user, and describes the stores for mem where. What a check must know of a front (how
// clients are wired, the PATH) that front checks itself, and prints behind these. The package
// changes nothing, and takes no lock but for an instant, to find its holder.
package doctor
