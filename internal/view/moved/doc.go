// Package moved compares the files that a memory names (content.Fields.Files) with the disk now:
// so a fact about a file shows when the file has changed since, or is gone.
//
// In the store of a project a file is recorded with a slash-separated path relative to the
// project's folder (site.Folder); in a store for several projects, or outside of the folder, with
// its absolute path. Of a regular file of at most [MaxFile] bytes in the folder of the caller's
// project the record has size, modification time and the SHA-256 of its bytes with each line end as
// one newline, so that another checkout with other line ends is no change. Folders, patterns, links
// and larger files have a path alone, and never show as moved.
//
// Nothing outside of the folder is ever read: paths are opened below an [os.Root], which follows no
// link that leads out. Size and modification time are compared first, and the bytes only where one
// of them differs. A file that cannot be read counts as unchanged. The package writes nothing.
package moved
