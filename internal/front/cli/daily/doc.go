// Package daily has the verbs that read and write memories: set, get, note, search, ls, edit and
// others of the first page of help, and query and diff, which read the same memories.
package daily
