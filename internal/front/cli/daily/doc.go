// Package daily has the verbs that read and write memories: set, get, note, search, ls, edit and
// others of the first page of help, with the views of them in "mem help records".
package daily
