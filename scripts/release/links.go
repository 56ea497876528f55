package main

import (
	"bytes"
	"regexp"
)

// link is a link or a picture of a document, with its text.
var link = regexp.MustCompile(`!?\[[^\]]*\]\(([^)]+)\)`)

// absoluteLinks returns a document whose links lead to the repository in this version: an archive
// has none of the files that they name.
func absoluteLinks(text []byte, version string) []byte {
	return link.ReplaceAllFunc(text, func(found []byte) []byte {
		to := link.FindSubmatch(found)[1]
		if bytes.Contains(to, []byte("://")) || to[0] == '#' {
			return found
		}
		start := found[:len(found)-len(to)-1]
		full := append(bytes.Clone(start), homepage+"/blob/v"+version+"/"...)
		full = append(full, to...)
		if found[0] == '!' {
			full = append(full, "?raw=true"...)
		}
		return append(full, ')')
	})
}
