// Package repo finds the git repository of a directory, and what git tracks there, without a git
// binary: it reads files only, and follows git's own rules. It writes nothing, so a crash leaves
// nothing of it. The variables of git (GIT_DIR, GIT_WORK_TREE, GIT_CEILING_DIRECTORIES and so on)
// are ignored: which memory is used may depend on where one stands, and not on who called.
//
// # Which repository
//
// [Find] takes the nearest .git upward from the real path of a directory, as far as the border of
// the file system. Passed over, as git does, is a .git directory without a HEAD. Passed over too,
// where git gives up, is a file that no git wrote; sandboxes leave empty ones behind. Not found is
// what has no .git: a bare repository, seen from within.
//
// # What a directory may say about another
//
// Whoever packs an archive may put a .git file into it that names any repository of the person who
// unpacks it, and with it that repository's memories. So a .git that leads out of its directory, be
// it a file or a symbolic link, counts only where the other side agrees:
//
//   - A linked worktree: its git directory lies in worktrees/ of the repository that it names in
//     commondir, and its file gitdir names this very .git.
//   - A submodule: core.worktree of its git directory leads back. Git writes that for every one.
//   - A separate git directory (git init --separate-git-dir) says nothing of its work tree. It
//     counts unless it lies in some .git directory, is that of another work tree (core.worktree) or
//     of none (core.bare); below the work tree, as in the layout of a bare clone with its worktrees
//     around it, it may be bare. What remains: a .git file can name a separate git directory whose
//     path somebody knew.
//
// Any other .git is an identity of its own: GitDir and Common are its own path. A .git directory is
// always that, whatever stands in it: a commondir there is not read.
//
// # The index
//
// [Repo.Tracks] streams through the index (versions 2, 3 and 4, ids of SHA-1 or SHA-256) and ends
// at the first entry that sorts behind what is asked for. Where shared indexes lie beside it, it
// reads on to the extension "link" and asks the shared one too; what was removed since that one was
// written counts as tracked still. So does all that is below a directory of a sparse index, for its
// names are not in it. Checksums are not verified, as git does not.
package repo
