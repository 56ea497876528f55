// Package site decides which stores a call works on, and owns the few files that make a directory
// a .mem: .gitignore and .gitattributes, by which git ignores it as a whole or merges what several
// people wrote ([WriteGitFiles]); given, the highest number of a note in a shared one
// ([Site.Give]); and, beside the user's store, repository.json, which says which repository a store
// is for. Each is replaced as a whole: a crash leaves the old one or the new one, and a
// temporary file at most. To find stores ([Find]) writes nothing.
//
// --root or MEM_ROOT name exactly one store, which is trusted as given. Without them there are two
// layers, read together and written one at a time:
//
//   - the user layer, $XDG_DATA_HOME/mem (~/.local/share/mem): what holds for a person everywhere;
//   - the project layer: the nearest .mem upward from the working directory that may be used, up to
//     the home directory or the border of the file system; else, inside a git repository,
//     $XDG_DATA_HOME/mem-projects/<name>-<8 hex of the SHA-256 of the real path of the directory
//     that the repository's work trees share>. If repository.json there is of another one, the
//     name has all 64 digits; if that is, too, those of the SHA-256 of this hash, and so on.
//     Outside of both there is no project.
//
// # Which .mem may be used
//
// Anybody can put a .mem into a directory: a repository that was cloned, a folder that others may
// write to. It speaks to this user's agents and is written to by them, so it is used only if it is
// no symbolic link, belongs to this user or to root, and was let in ([Book]): by mem init, by
// mem trust, or by MEM_TRUST, which stands for the owner too. All others are passed over and named
// ([Skipped]); nothing of them is read. The path that counts is the real one, whatever links led to
// it.
//
// On a branch without the .mem of another one, git leaves what it ignores there: that is no store,
// and is passed over. So is one that git neither tracks nor ignores: all that is written to it
// would be new files to git.
//
// What lies above the home directory is nobody's project. The directory of a repository is found
// without git, and no directory is believed about another one.
//
// # Trust
//
// A [Book] keeps which .mem directories a person has let in, and which of their lines came from
// this person's own mem or were seen when trust was given. All of it is below $XDG_STATE_HOME/mem
// (default ~/.local/state/mem), outside of every repository.
//
// A .mem comes with a clone, and its records are injected. So it counts only where a person has let
// it in, by its real path and by a random id in it, which git never tracks: another clone at a path
// that was let in once has another id, or none, and a copy has another path. In a trusted store a
// line is new if its identity is not known: another program wrote it, and a pull brought it. People
// may see it; it is not injected.
//
// $MEM_TRUST lists directories (absolute paths, separated as in $PATH; each a .mem, or what has
// it) that are let in as a whole, whatever their id and whatever came since, without a record: for
// containers and CI. An entry that is not absolute is left out, or "." would let in whatever one
// walks into. Of a .mem whose memories are elsewhere a commit may change the URL: $MEM_TRUST_REMOTE
// lists the URLs, with spaces between, that are let in so.
//
// # Memories behind a server
//
// The file remote of a .mem has the URL of its memories, and a newline: a space of PostgreSQL, or
// https://HOST[:PORT][/PREFIX]/TENANT ([ParseAddress]). Where a commit has put a link or anything
// else there, the .mem is passed over. The latter URL no call opens: the project is
// [Sites.Served] then, and there is no project layer on this machine.
//
// # Format of the book
//
//	ROOT/id                         32 hex digits and a newline, mode 0600
//	STATE/mem/trust/HASH.json       {"path":...,"id":...,"since":...}, and a newline; HASH is the
//	                                first 32 hex digits of the SHA-256 of the path
//	STATE/mem/off/HASH              an empty file: no hook injects anything for the store
//	                                whose path has this hash
//	STATE/mem/lines/ID              a known line each: the 64 hex digits of its identity
//	STATE/mem/rules/ID              the identity of the server whose team's rules bind in the
//	                                store, 64 hex digits ([ServerID]), and a newline
//	STATE/mem/matches/HASH          what was found for a repository on a day ([Sites.Remember])
//	STATE/mem/machine               32 random hex digits and a newline, mode 0600
//
// The identity of a line is the SHA-256 of its key, its ts in the form of the log, its source and
// its content, each written as its length in bytes, ":", the bytes and ",", so that no two lines
// read the same. All 256 bits are kept: an attacker whose line gets reviewed and trusted may search
// for two lines of one identity, and would find them among 128 bits.
//
// A record that is damaged, is not under the name of its path, or belongs to another user than this
// one or root, lets nothing in. The same goes for an id that is no plain file, or anything but its
// digits. STATE may be a symbolic link, for it is the person's own.
//
// # The book after a crash
//
// Grant writes the id and then the record, each durable and replaced by rename. Between the two the
// id has no record, so that nothing is let in, and the next Grant makes another; the same goes for
// two at once that leave the id of one and the record of the other. A record replaced leaves the
// lines of its former id for a moment, and a crash there for good: nothing refers to them. Revoke
// removes the record first, with the same outcome. The file of rules is replaced by rename, and its
// removal is synced: a crash leaves the decision before or the one after.
//
// Learn appends whole lines by one write and syncs nothing. Lines lost by a crash are injected
// again only after the person has trusted the store once more. A torn last line is closed by the
// next append and is no identity.
//
// # The machine
//
// The id of a machine ([Book.MachineID]) is the SHA-256 of STATE/mem/machine and of what identifies
// the host: /etc/machine-id or its like; else the id of the hardware (macOS) or of the installation
// (Windows); else the name of the host and the identity of its root directory. So a home directory
// that is restored on another host is another machine there, and the same one again where it came
// from. Copies of a whole system, with its machine-id, are one machine. The first process that asks
// writes the file under a lock, durably and by rename: a crash leaves it whole or absent. A file of
// another form is replaced.
//
// # Which repository
//
// The git repository of a directory, and what git tracks there, are found without a git binary, by
// git's own rules. Only files are read, and nothing is written. The variables of git (GIT_DIR,
// GIT_WORK_TREE, GIT_CEILING_DIRECTORIES and so on) are ignored: which memory is used may depend on
// the working directory, and not on the caller. They only show of a .mem without a repository that
// one may have brought it, as a directory of another system does, or a bare git repository: which
// files those track is not known, so all may be.
//
// [FindRepo] takes the nearest .git upward from the real path of a directory, as far as the border
// of the file system. Passed over, as git does, is a .git directory without a HEAD. Passed over
// too, where git gives up, is a file that no git wrote; sandboxes leave empty ones behind. A
// directory without .git is not found: a bare repository, seen from within.
//
// # The repository of a store
//
//	STORE/repository.json           {"common_dir":...,"origin":...,"directory":...,"identity":...,
//	                                "former_identity":...,"claim":...,"link":...,"config":...,
//	                                "identities":[...]}, and a newline
//	mem-projects/.lock              the lock of whoever changes such a record
//
// A store beside the user's is found by the path of the common directory, and repository.json says
// more of the repository, by which its memories are found after a move ([Sites.Matches]):
//
//	common_dir    the real path of the common directory, byte by byte
//	origin        the URL of the remote "origin", as host/path: without scheme, user, password,
//	              port, query and ".git"; the host is in lower case. A directory of this machine
//	              is its path, which begins with "/"; any other origin names the project on every
//	              machine. None is recorded where it has an "@" behind the host
//	directory     the identity of the common directory: inode and time of birth (disk.Identity)
//
//	config        time and size of the configuration when it was read last: it is read again once
//	              these differ
//
//	identity, former_identity, claim, link, identities    see below
//
// Each but the first is absent where it is not known, and in a store of an older build.
// A write, a sync and a hook at the start of a session bring such a record in line with an origin
// that has changed ([Site.RecordRepository]). Verbs that only read write nothing.
//
// A repository may take the path of another one, which was renamed or deleted. The record is of
// another repository if its directory has another time of birth, and its origin is not that of the
// repository. Then the record stays as it is, and the repository has a store of its own. One whose
// origin was changed has its directory still, and one that was cloned again has its origin: both
// keep the store. So does one at a path whose record has no origin or no directory, for a home that
// comes from a backup looks the same.
//
// A store may be of a repository, where it is not the one in use, by
//
//   - its identity, which is the present one of the repository; or by the present one of its own
//     repository, where that is on another machine;
//   - its origin or its directory, at a path that is gone, leads to the repository by a symbolic
//     link, or is another repository's now; or by the path of one without an origin;
//   - an identity that both have had, if the other repository is gone, or the one here has no
//     memories: clones of one template have had its origin, too.
//
// An inode is used again for another directory, with another time of birth; so where a file system
// knows no such time no directory is recorded. An origin is a claim of a configuration, which an
// archive may bring: memories come from such a store only by a command that a person has read.
//
// # The identity of a project
//
//	COMMON/mem-id                   64 hex digits and a newline: a random id
//
// Other machines know a project by its identity, 64 hex digits: the SHA-256 of its origin, as
// host/path or, where the port is not the default one of the scheme, host:port/path. As in origin
// above the host is in lower case, and neither scheme, user, password, query, slashes at the ends
// nor ".git" count; so these are one: https://host/a/b.git, https://me:x@HOST:443/a/b/,
// ssh://git@host/a/b, git@host:a/b. A name that the configuration of git or ssh puts in the place
// of a host is taken as it is. An origin on this machine (a directory, a URL of file: or of a
// loopback address) says nothing elsewhere: then, and without one, the identity is the SHA-256 of
// "mem-id:" and a random id, which is kept in the common directory and so is the same for all work
// trees, and in a copy. A hash, so that an archive cannot bring an identity that its maker has
// seen.
//
// An identity is a claim of the working copy, and reaches no memories. The store of a path is found
// by the path, as ever; the first write, or session with a hook, records in it:
//
//	identity           of the store. It stays when the origin changes; only one by a random
//	                   id gives way to that of the first origin
//	former_identity    the one by a random id from before
//	claim              the identity that the repository claims, where another store has it:
//	                   one of another path, or one from another machine, without a path
//	link               the name of the store beside this one that the repository uses,
//	                   whatever its identity: a person decided so ([Sites.Link]). One that is
//	                   gone is none; one that has a link leads on
//	identities         those that the repository has had, the present one last, at most 64; also
//	                   those that a repository linked here has had, and those that other machines
//	                   of this person name in the heads of sealed segments ([AddIdentities]).
//	                   Nobody else gets the present one of a store. They pair no stores in a sync
//
// The store to which a repository is linked gets its identities, the identity of a store that is
// left where it has none, and its path where it has none ([MakeFor] makes such) or one that is
// gone. A record ends, with its link, when another repository takes
// the path. The lock lets one process at a time change a record, so that two that claim one
// identity at once do not both get it. After a crash the record is the old one or the new one, and
// a random id without a record is that of the next one; a store without an identity gets it by its
// next write. The kernel frees the lock of a process that died.
//
// # The order of writes
//
// Which of two writes to two stores was first their times do not say once the clock went back.
// .turn, beside the stores of repositories, holds a time that is later than every write so far; a
// journal notes it for a write whose own time is not ([Sites.Turn]). It is not durable: a power
// cut may take the last of it along, and without it the clock counts.
//
// # Claims of a directory about another
//
// The maker of an archive may put a .git file into it that names any repository of its recipient,
// and with it that repository's memories. So a .git that leads out of its directory, be it a file
// or a symbolic link, counts only where the other side agrees:
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
// at the first entry that sorts behind the path asked for. Where shared indexes lie beside it, it
// reads on to the extension "link" and asks the shared one too; entries removed since that one was
// written counts as tracked still. So does all that is below a directory of a sparse index, for its
// names are not in it. Checksums are not verified, as git does not.
package site
