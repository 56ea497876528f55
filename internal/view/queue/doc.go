// Package queue joins the three places where something waits for a person: the inbox with the facts
// that hooks propose and the rules that were typed, the changes of rules that agents propose, and
// the quarantined writes. It lists them as items of one kind, and decides on an item as it was
// shown. Each place keeps its own form on disk (inbox, proposal, mem.Store.Approve).
package queue
