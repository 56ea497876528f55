// Package shape makes samples of secrets out of the patterns that find them, for tests and comparisons: the repository itself holds nothing that
// looks like a secret. It keeps nothing on disk.
package shape
