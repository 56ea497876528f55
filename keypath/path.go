package keypath

import (
	"crypto/sha256"
	"encoding/hex"
)

// RelPath is the path of a key's file: slash-separated, relative to index/. Other strings of this type may be
// anything that was found on a disk; Decode tells.
type RelPath string

const (
	tagMark = '@'     // between a file's name and the hash of its key
	tagSum  = 3       // bytes of that hash, two hex digits each
	fileExt = ".json" // of every file below index/

	tagLen = 1 + 2*tagSum + len(fileExt)
)

// Path is the file of the key below index/, the same on every machine and for ever (M-28 to M-32). Every element is a plain
// name of at most 212 bytes that no common file system gives a meaning of its own. Empty for no key.
func (k Key) Path() RelPath {
	if k.IsZero() {
		return ""
	}
	var room [512]byte // enough for nearly all keys; a longer path moves to the heap by itself
	path := room[:0]
	for seg := range k.Segments() {
		path = append(path, '/')
		path = appendSegment(path, seg)
	}
	path = appendTag(path, k)
	return RelPath(path[1:])
}

// appendTag ends a file's name, so that keys that differ only by case do not share it, nor a key and a directory (M-30, M-32).
func appendTag(dst []byte, k Key) []byte {
	sum := sha256.Sum256([]byte(k.s))
	dst = append(dst, tagMark)
	dst = hex.AppendEncode(dst, sum[:tagSum])
	return append(dst, fileExt...)
}
