// Package stores has the verbs that are about whole stores: where they are, to make, trust, copy,
// import, export and migrate them, to move memories between them, and the version of the program
// and of their format.
package stores
