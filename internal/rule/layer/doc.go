// Package layer decides which stores a call works on, and owns the few files that make a directory
// a .mem: .gitignore and .gitattributes, by which git ignores it as a whole or merges what several
// people wrote ([WriteGitFiles]); given, the highest number of a note in a shared one
// ([Site.Give]); and, beside the user's store, repository.json, which names the repository that a
// store is for. Each is replaced as a whole: a crash leaves the old one or the new one, and a
// temporary file at most. To find stores ([Find]) writes nothing.
//
// --root or MEM_ROOT name exactly one store, which is trusted as given. Without them there are two
// layers, read together and written one at a time:
//
//   - the user layer, $XDG_DATA_HOME/mem (~/.local/share/mem): what holds for a person everywhere;
//   - the project layer: the nearest .mem upward from the working directory that may be used, up to
//     the home directory or the border of the file system; else, inside a git repository,
//     $XDG_DATA_HOME/mem-projects/<name>-<8 hex of the SHA-256 of the real path of the directory
//     that the repository's work trees share>. If repository.json there names another one, the
//     name has all 64 digits. Outside of both there is no project.
//
// # Which .mem may be used
//
// Anybody can put a .mem into a directory: a repository that was cloned, a folder that others may
// write to. It speaks to this user's agents and is written to by them, so it is used only if it is
// no symbolic link, belongs to this user or to root, and was let in ([trust.Book]): by mem init, by
// mem trust, or by MEM_TRUST, which stands for the owner too. All others are passed over and named
// ([Skipped]); nothing of them is read. The path that counts is the real one, whatever links led to
// it.
//
// On a branch without the .mem of another one, git leaves what it ignores there: that is no store,
// and is passed over. So is one that git neither tracks nor ignores: all that is written to it
// would be new files to git.
//
// What lies above the home directory is nobody's project. The directory of a repository is found
// without git (package repo), which believes no directory about another one.
package layer
