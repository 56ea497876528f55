// Package tidy has the verbs that keep a memory in order: they change, review, check and configure
// its records.
package tidy
