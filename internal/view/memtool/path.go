package memtool

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// root is the directory that all files are in.
var root = keypath.MustParse(keypath.Files)

func parsePath(path string) (key keypath.Key, err error) {
	if path != keypath.Files && !strings.HasPrefix(path, keypath.Files+"/") {
		return key, refuse("Error: Path must start with /memories, got: %s", path)
	}
	if climbs(path) {
		return key, refuse("Error: Path %s would escape /memories directory", path)
	}
	if key, err = keypath.Parse(path); err != nil {
		return key, refuse("Error: %s", mem.Message(err))
	}
	return key, nil
}

// decoder undoes the encodings in which a path has hidden a step upward.
var decoder = strings.NewReplacer("%2e", ".", "%2f", "/", "%5c", "/", "%25", "%", `\`, "/")

// climbs reports whether a path has a step upward in it, however it is encoded, and however often.
func climbs(path string) bool {
	path = strings.ToLower(path)
	for decoded := ""; decoded != path; {
		decoded, path = path, decoder.Replace(path)
	}
	return strings.Contains(path+"/", "/../")
}

// prefixOf returns what selects a file and all that is below it as a directory. Every key is one.
func prefixOf(key keypath.Key) keypath.Prefix {
	p, _ := keypath.ParsePrefix(key.String())
	return p
}

// nameIn returns the path of a file relative to a directory.
func nameIn(dir, file keypath.Key) string { return file.String()[len(dir.String())+1:] }
