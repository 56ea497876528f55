// Package doctor says in a line for each part of a store whether it is as it should be, and what to
// do where it is not. It changes nothing, and takes no lock but for an instant, to find its holder.
package doctor
