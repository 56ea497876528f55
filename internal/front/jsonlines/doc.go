// Package jsonlines carries the messages of JSON-RPC 2.0 on lines, a message on each, for the SDK
// of the Model Context Protocol.
//
// A line that is no JSON, no message, or longer than 4 MiB is answered with an error that has the
// id null, and passed over: a client that writes something else into the pipe, as its libraries do,
// keeps its session. Blank lines are nothing. At the end of the input what was asked for is
// answered first; the last line may be without its end.
//
// Nothing is kept here: a crash leaves the lines that were written, the last one maybe not whole.
package jsonlines
