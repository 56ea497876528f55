// Package page shows the memories in a browser. A person adds, edits, pins and deletes them there,
// and sees which were injected into which conversation. It is a front, like the command line, with
// no rules of its own: each page asks the Store and the views as a verb does, and each button does
// the work of a verb.
//
// # Access
//
// A session begins with a one-time URL ([Page.Invite]), which is printed for the user that
// starts the page, or that owns the socket of a server. The second needs a code that the server
// prints ([Page.InviteWithCode]): agents of that user can open the socket too. The secret in the
// URL is good for one use within ten minutes. It is exchanged for a cookie (HttpOnly,
// SameSite=Strict) that is good until the process ends, or nothing is asked for twelve hours. Both
// are 260 random bits, of which SHA-256 sums are kept, in memory alone: the end of the process
// ends all sessions.
//
// Browsers send a cookie to every port of its address, so also to a server of another user of the
// machine. So all pages lie below a path of 130 random bits, which is the path of the cookie: a
// server that cannot name the path gets no cookie, and without the path a cookie is no use. Only
// answers within a session name the path; the assets lie outside of it.
//
// Each request must name a Host that is known to be this server's: another name may have been bound
// to this address. A browser reaches loopback addresses from every site that somebody looks at. So
// an Origin, where a request has one, must be the address that it went to, and a form must bring a
// token of the session, which no other site can read.
//
// # What comes out
//
// HTML of html/template, one stylesheet and one script, which reads keys of the keyboard: all works
// without it. Nothing is from another host, and a Content-Security-Policy lets a browser run or
// load no more. Whatever a memory says, it is text, and has no type that a browser runs. Answers
// are compressed, and kept by nobody, but for the assets, whose name changes with them.
//
// Quarantined writes, expired memories and the memories of agents are counted apart, and are in no
// group. Proposals to change a rule (view/proposal) are listed apart from quarantined writes, and
// in no list of memories. A count is kept until something is written, or for ten minutes.
//
// # Undo
//
// A session keeps what its last action wrote, and the page after it has a button that takes all of
// that back (edit.Revert): what the keys had before becomes the newest version again, unless
// somebody has written to one of them since. An undo is an action, too. Purges, trust and rejected
// writes and facts have no such button; a rejected proposal has one. Of an approval the rule comes
// back, and not the proposal, which was about an older version.
//
// # Decisions
//
// While a person looks at a page, others write. So a decision names what the person was shown: of a
// quarantined write or a proposal its ts, of a store that asks for trust a sum over the lines that
// were listed. If either has changed, nothing is done. Between that check and the write lies no
// lock: a write of that moment is approved in place of the one that was shown, and the history has
// it. The approval of a proposal is a compare-and-set of the rule.
//
// The package keeps nothing on disk, so a crash leaves nothing of it.
package page
