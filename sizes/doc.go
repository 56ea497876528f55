// Package sizes owns how many bytes the newest lines of a conversation have.
package sizes
