// Package remote runs a command line on the memory of a server, over HTTPS.
//
// The root of such a memory is a URL: https://HOST[:PORT][/PREFIX]/TENANT; http only for a loopback
// address. The client sends the command line as it was typed to wire.Path. The server runs the same
// verb on the memory of the token's tenant, as the token's agent, and answers with what the verb
// printed and its exit code. So the rules hold at the server, whatever a client sends.
//
// The verb sees no file, variable or terminal of the server. What it needs of the caller's machine
// it wants: the answer names a file, standard input, a question to a person, a text to be edited or
// a person's token, and nothing was written. The client sends the command line again with it. It
// reads only standard input and files that the command line names, for a server could ask for
// others.
//
// # Tokens
//
// A token is for one tenant, and belongs to an origin: scheme, host and port. It is sent to that
// origin alone, and never after a redirect. "mem token login" keeps that of an agent in
// servers.json, below the state directory of the user (0600); the lines "ORIGIN TOKEN" of the file
// that MEM_TOKEN_FILE names come first. A person's token is typed for one command, and kept
// nowhere.
//
// Package jsonfile says what a crash leaves of servers.json.
//
// # Time
//
// Before its answer begins, memd sends a line feed every 10 s while the verb runs: white space,
// with which JSON may begin, so that any client and proxy takes it (X-Accel-Buffering asks nginx to
// pass it on). The status is 200 from then on, and an error comes as {"error":...} all the same. A
// verb runs for at most wire.MaxRun. A client that hears nothing for 30 s, or that gets less than
// 1 KiB of an answer in 30 s, ends: it is unknown whether the server ran the command, and the
// request is not sent again. A request without signs, a message of the protocol of tools, has 40 s.
//
// # Retries
//
// A request whose answer was lost is sent again, with the same Idempotency-Key. The server keeps
// its answers for two minutes, those of at most 1 MiB and 64 MiB in all, and returns the first one;
// the key with another request is an error. One that was sent before the server started, and whose
// first attempt may have reached another process, is not run again: it is unknown whether that one
// was stored, and the error says so. Several servers of one database behind a balancer need one
// that keeps a client at one server.
package remote
