// Package door lets a person's browser in, and nobody else. It knows nothing of memories.
//
// An invitation is a secret in a URL, good for one use within [InviteTime]. What it is exchanged
// for is a cookie (HttpOnly, SameSite=Strict) that is good until the process ends, or nothing is
// asked for [SessionTime]. Both are 256 random bits, of which SHA-256 sums are kept, in memory
// alone: an end of the process ends all sessions, and a crash leaves nothing.
//
// A browser reaches loopback addresses from every site that somebody looks at. So an Origin, where
// a request has one, must be the address that it went to ([Foreign]), and a form must bring a
// token of the session, which no other site can read ([Guest.Owns]). Which names of the server a
// Host may be, who serves decides. The name of the cookie has the port: browsers send what one
// port of an address has set to all others.
package door
