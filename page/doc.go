// Package page is for a person with a browser: what do my agents remember, what were they told,
// what should go. It is a front, as the command line is one, with no rules of its own: each page
// asks the Store and the views as a verb does, and each button does what a verb does.
//
// # Who may come in
//
// Nobody without a one-time URL ([Page.Invite]), which whoever starts the page, or owns the socket
// of a server, gets. It is good for one use within [InviteTime]; what it is exchanged for is a
// cookie (HttpOnly, SameSite=Strict) that is good until the page ends, or nothing is asked for
// [SessionTime]. Both are 256 random bits, of which SHA-256 sums are kept, in memory alone: an end
// of the process ends all sessions.
//
// A browser reaches loopback addresses from every site that somebody looks at. So each request must
// name a Host that is known to be this server's (another name may have been bound to this address),
// an Origin, where it has one, must be the page's own, and a POST must bring a token that was made
// of the session and that no other site can read.
//
// # What comes out
//
// HTML of html/template and one stylesheet: no script, nothing from another host, and a
// Content-Security-Policy that lets no browser run or load any. Whatever a memory says, it is text.
// Answers are compressed, and kept by nobody, but for the stylesheet, whose name changes with it.
//
// # What it costs
//
// To count a store, all of it is read: 100 ms for 100,000 memories. A count is kept until something
// is written (mem.Mark), or the minute of its oldest number has passed. All else costs what it costs
// as a verb.
//
// The package keeps nothing on disk, so a crash leaves nothing of it.
package page
