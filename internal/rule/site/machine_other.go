//go:build !darwin && !windows

package site

// installationID returns "": a file has the id.
func installationID() string { return "" }
