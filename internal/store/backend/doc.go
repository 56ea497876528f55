// Package backend is the seam between the rules of a memory and the bytes that hold it: what the
// Store above asks of a store below, and nothing else. Above it stand the rules (what may be
// written, which caller sees it, how a page is packed); below it bytes are made durable and found
// again. Package filestore keeps them in files, package pgstore in PostgreSQL, package memstore in
// memory for tests; package storetest is the suite that each of them passes. Package overlay has
// the rules of an update for all of them. Package union reads several as one.
//
// What only some stores can do is an optional interface: [Located], [Rooted], [Identified],
// [Upkeep], [Eraser], [Merger], [Halves], [Configurer], [ConfigComparer] and [Blobs]. No code asks
// of which kind a store is.
//
// It is a room of its own, and not a part of the Store's package, because a store below has to name
// these types and must not import the packages above it.
//
// # Promises of a backend
//
//   - What a call of [Backend.Update] appended is durable when it returns nil, or an error that
//     wraps [ErrStored]. After an [UnknownError] nobody knows whether it is; after any other error
//     none of it is there.
//   - Updates of one store exclude each other. Several may share a lock and a sync.
//   - A later append of a key has a later ts, whatever the clock says (LWW). An envelope that
//     brings its ts is refused unless it wins: a store may have forgotten a tombstone that it would
//     lose to.
//   - A [Snapshot] is not older than any write that was acknowledged before it was asked for, and
//     stays as it is. Readers wait for nobody.
//   - [Where] holds before any limit. It leaves out what it does not let pass, and changes no
//     score: only its prefix, what its caller may see at all ([Where.Sees]) and Superseded decide
//     which records count when the rarity of a word is measured.
//   - A blob is durable when [Blobs].PutBlob returns, and stays as long as a live artifact is about
//     it. What OpenBlob returns are the bytes of its name.
//   - Times in a Where, and in an order, are those of the memories (content.Fields.Time).
//   - Rank, Select and Search return the same, whatever sidecars there are; but the last bits of a
//     hit's score, and with them the order of hits that score the same, show in which order it was
//     added up.
package backend
