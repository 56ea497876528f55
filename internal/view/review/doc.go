// Package review is what waits for a person's decision: writes without a word on where they are
// from, and stores that nobody has let in. It is a view above the Store and its layers, for who
// shows both at leisure and hears of the decision later, as a page does.
//
// Meanwhile others write. So a decision names what the person was shown: of a quarantined write its
// ts ([Approve], [Reject]), of a store a sum over the lines that were listed ([LetIn]). Where that
// is not what is there any more, the error is [ErrChanged] and nothing is done. Between that look
// and the write lies no lock: what comes in that moment is approved in the place of what was shown,
// and stands in the history as such.
//
// It keeps nothing on disk, so a crash leaves nothing of it.
package review
