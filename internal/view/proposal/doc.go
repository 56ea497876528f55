// Package proposal keeps the changes to rules of the user that an agent asks for and a person
// decides: a view above the Store.
//
// # Format
//
// A proposal is one envelope under /untrusted/proposal, where no list, search or prompt finds it.
// No operation but a proposal writes there. Its id is p- and 40 random bits, so no caller can bring
// another text under the id that a person is about to approve. A client that proposes the same
// again gets the id of its first proposal:
//
//	/untrusted/proposal/p-7v3kq0dm
//	{"type":"proposal","change":"forget","key":"/user/language",
//	 "rule":"2026-02-22T10:00:00.000000Z","content":null,"source":{...},
//	 "client":"claude-code","session":"...","expired_at":"2026-03-24T10:00:00.000000Z"}
//
//	change   the verb that was called: forget, set, note, edit or pin; or purge, where the mark of
//	         a purge came over a depot that others can write (package exchange)
//	key      the key that changes
//	rule     the time of the rule that the agent has seen; absent where the key held nothing
//	content  the new content; null deletes the key
//	source   the source that the write would have had
//	client   the program and the agent that ask; session: their conversation
//
// A new text of a rule by set that does not claim to be a rule keeps the type, the tags and the pin
// of the rule. The rule stays in force. A proposal expires after 30 days; the oldest of more than
// 20 of one client gets a tombstone, and above 200 in all none is taken. A store in a repository
// has no rules, and so no proposals.
//
// # Approval
//
// [Approve] is a compare-and-set: it stores the content under the key, with a person as its source,
// and deletes the proposal in the same update, unless the key was written since; an undo that
// restored the version seen does not count. A purge removes the key with its history instead, and
// then the proposal. Store.Reject deletes a proposal as any other
// quarantined write.
//
// # After a crash
//
// Nothing is kept here. A proposal is stored or not; an approval is one update.
package proposal
