// Package fts finds memories by their words: an inverted index over the live records, and the scoring of a query against it.
package fts
