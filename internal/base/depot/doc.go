// Package depot keeps segments: immutable bytes that the machines of one person exchange, without a
// server. It knows nothing of what they hold, and needs no key.
//
// # On disk
//
//	DIR/mem-sync.json   {"v":1,"id":"32 hex digits","check":"base64"} and a newline; in place of
//	                    the check an earlier mem wrote "plain":true where it sealed nothing
//	DIR/NN/NAME         a segment; NAME is the SHA-256 of its bytes, 64 hex digits, and NN its
//	                    first two
//
// There is no list of segments and no file that two machines write, so a program that copies
// folders between machines (Syncthing, Dropbox, rclone, git) has nothing to merge. mem-sync.json
// is written once, when the depot is made; check is for its readers. All other names are passed
// over: temporary files, "conflicted copies", the folders of such programs. Names have only
// lower-case letters and digits: a folder that normalises Unicode keeps them, and one that ignores
// case may show them in capitals, which counts as the same.
//
// Old bytes of a segment that was removed may be left in files that other programs made, and in
// directories where they keep earlier versions: [Folder.Remains] names them.
//
// # Through a pipe
//
// [Serve] gives a folder to a client that starts it as a program, as by ssh. The server begins with
// the line "mem-depot 1"; bytes before it, such as a login's greeting, are skipped, at most 64 KiB.
// Then the client sends a request and the server a reply, in turn, each one line of JSON and as
// many bytes as its size says:
//
//	{"do":"get","name":"..."}   {"size":123} and 123 bytes
//	{"do":"put","size":123}     {}
//	{"do":"remove","name":"..."}, {"do":"list"}, {"do":"info"}, {"do":"make","size":99}
//	                            {"error":"...","kind":"gone"}
//	{"do":"remains","size":13}  {"size":123} and a list, [{"path":"...","why":"..."}]
//
// The bytes of "remains" are those with which segments begin.
//
// # After a crash
//
// A segment is written under a temporary name, synced and renamed: it is there as a whole, or not.
// Bytes whose name is not their sum, as those that a program is still copying, are no segment yet:
// the error of Get wraps [ErrTorn].
package depot
