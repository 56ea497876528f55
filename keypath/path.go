package keypath

import (
	"crypto/sha256"
	"encoding/hex"
)

// RelPath is the path of a key's file: slash-separated, relative to index/. A value that was found
// on a disk may be any path; [Decode] reports whether it belongs to a key.
type RelPath string

const (
	tagMark = '@'     // between a file's name and the hash of its key
	tagSum  = 3       // bytes of that hash, two hex digits each
	fileExt = ".json" // of every file below index/

	tagLen = 1 + 2*tagSum + len(fileExt)
)

// Path returns the path of the key's file below index/, the same on every machine and for ever.
// Every element is a plain name of at most 212 bytes that has no special meaning on
// any common file system. It is empty for the zero Key.
func (k Key) Path() RelPath {
	if k.IsZero() {
		return ""
	}
	var room [512]byte // enough for nearly all keys; append moves a longer path to the heap
	path := room[:0]
	for seg := range k.Segments() {
		path = append(path, '/')
		path = appendSegment(path, seg)
	}
	path = appendTag(path, k)
	return RelPath(path[1:])
}

// appendTag appends the end of a file's name, so that keys that differ only by case do not share a
// file, nor does a key want the name of a directory.
func appendTag(dst []byte, k Key) []byte {
	sum := sha256.Sum256([]byte(k.s))
	dst = append(dst, tagMark)
	dst = hex.AppendEncode(dst, sum[:tagSum])
	return append(dst, fileExt...)
}
