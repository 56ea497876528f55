// Package memstore keeps a memory in memory, for tests: a backend that answers as files do, and
// leaves nothing behind. Everything is held as the fold of its whole history, so reads and searches
// take the way that a store of files takes without its sidecars.
//
// It has what [backend.Backend] promises but for durability: the records are gone with the process.
package memstore
