// Package app is what the verbs of the command line share: the global flags, the stores that they
// name, the arguments and flags that several verbs have, and the forms of answers, errors and
// hints.
//
// A verb gets an [App], opens stores with it (Open, OpenOne, OpenToRead), and ends with its Answer.
// It writes no file of a store itself, so a crash leaves here what
// package mem describes.
package app
