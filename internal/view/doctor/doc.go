// Package doctor looks at a store of files and says in a line for each part of it whether it is as
// it should be, and what to do where it is not. It changes nothing, and takes no lock but for an
// instant, to see who has it.
package doctor
