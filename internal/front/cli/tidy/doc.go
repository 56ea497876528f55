// Package tidy has the verbs that keep a memory in order: they change and review its
// records, check the store and configure it.
package tidy
