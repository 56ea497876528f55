// Package site decides which stores a call works on, and owns the few files that make a directory
// a .mem. docs/layers.md describes the layers, trust and moved repositories for people.
//
// --root or MEM_ROOT name exactly one store, which is trusted as given. Without them there are two
// layers, read together and written one at a time: the user's, $XDG_DATA_HOME/mem, and the
// project's. That is the nearest .mem upward that may be used, up to the home directory or the
// border of the file system; else, in a git repository,
// $XDG_DATA_HOME/mem-projects/<name>-<8 hex of the SHA-256 of the real path of the directory that
// its work trees share>. If repository.json there is of another repository, the name has all 64
// digits; if that is, too, those of the SHA-256 of this hash, and so on. [Find] writes nothing.
//
// # Which .mem may be used
//
// Anybody can put a .mem into a directory, by a clone or an archive. It is used only if it is no
// symbolic link, belongs to this user or to root, and was let in ([Book]), all by its real path;
// MEM_TRUST stands for the owner too. All others are named ([Skipped]), and nothing of them is
// read. A .mem that git neither tracks nor ignores was left by another branch: it is no store, for
// all that is written to it would be new files to git.
//
// # Trust
//
// A .mem counts by its real path and by a random id in it, which git never tracks: another clone at
// the path has another id, or none, and a copy has another path. In a trusted store a line is new
// if its identity is not known; people may see it, and it is not injected.
//
// $MEM_TRUST lists directories that are let in as a whole, whatever their id and whatever came
// since, without a record. An entry that is not absolute is left out, or "." would let in any
// working directory. A commit may change the URL of a .mem whose memories are elsewhere, so
// $MEM_TRUST_REMOTE has to list that URL, too.
//
// The file remote of a .mem has that URL, and a newline: a space of PostgreSQL, or
// https://HOST[:PORT][/PREFIX]/TENANT ([ParseAddress]). Where a commit has put a link or anything
// else there, the .mem is passed over. No call opens an address of HTTP: the project is
// [Sites.Served] then, and there is no project layer on this machine.
//
// # Format of the book
//
// STATE is $XDG_STATE_HOME (~/.local/state), outside of every repository. It may be a symbolic
// link, for it is the person's own.
//
//	ROOT/id                         32 hex digits and a newline, mode 0600
//	STATE/mem/trust/HASH.json       {"path":...,"id":...,"since":...}, and a newline; HASH is the
//	                                first 32 hex digits of the SHA-256 of the path
//	STATE/mem/off/HASH              an empty file: no hook injects anything for the store whose
//	                                path, or in the conversation whose name, has this hash
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
// one or root, lets nothing in; nor does an id that is no plain file, or anything but its digits.
//
// The id of a machine ([Book.MachineID]) is the SHA-256 of STATE/mem/machine and of what identifies
// the host: /etc/machine-id or its like; else the id of the hardware (macOS) or of the installation
// (Windows); else the name of the host and the identity of its root directory. So a home directory
// that is restored on another host is another machine there, and copies of a whole system, with its
// machine-id, are one.
//
// # After a crash
//
// The files of a .mem (.gitignore, .gitattributes, remote, given: the highest number of a note in
// a shared one) and repository.json are each replaced as a whole: a crash leaves the old one or
// the new one, and a temporary file at most. So are the records of the book, durably. Besides:
//
//   - Grant writes the id and then the record. Between the two the id has no record, so that
//     nothing is let in, and the next Grant makes another; the same goes for two at once that
//     leave the id of one and the record of the other. The lines of a former id stay, and nothing
//     refers to them. Revoke removes the record first, with the same outcome.
//   - Learn appends whole lines by one write and syncs nothing. Lines lost by a crash are injected
//     again only after the person has trusted the store once more. A torn last line is closed by
//     the next append and is no identity.
//   - A random id of a repository without a record is that of the next record; a store without an
//     identity gets it by its next write.
//
// # The repository of a directory
//
// It is found without a git binary, by git's own rules: [FindRepo] takes the nearest .git upward
// from the real path. Like git it passes over a .git directory without a HEAD; unlike git, a file
// that no git wrote, for sandboxes leave empty ones behind. A bare repository, seen from within, is
// not found. The variables of git (GIT_DIR and so on) are ignored, since the memory in use may
// depend on the working directory, and not on the caller. They only show of a .mem without a
// repository that one may have brought it, as a directory of another system does, or a bare
// repository: the files that those track are not known, so all may be.
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
//     around it, it may be bare. A .git file can still name a separate git directory whose path its
//     author knew.
//
// Any other .git is an identity of its own: GitDir and Common are its own path. A .git directory is
// always that: a commondir there is not read.
//
// [Repo.Tracks] reads the index (versions 2, 3 and 4, ids of SHA-1 or SHA-256) up to the first
// entry that sorts behind the path. Where shared indexes lie beside it, it reads on to the
// extension "link" and asks the shared one too; entries removed since that one was written count
// as tracked still. So does all that is below a directory of a sparse index, for its names are not
// in it. Checksums are not verified, as git does not.
//
// # The repository of a store
//
//	STORE/repository.json           {"common_dir":...,"origin":...,"directory":...,"identity":...,
//	                                "former_identity":...,"claim":...,"link":...,"config":...,
//	                                "identities":[...]}, and a newline
//	mem-projects/.lock              the lock of each process that changes such a record
//	COMMON/mem-id                   64 hex digits and a newline: a random id
//
// A store beside the user's is found by the path of the common directory; its record has the facts
// by which its memories are found after a move ([Sites.Matches]):
//
//	common_dir         the real path of the common directory, byte by byte
//	origin             the URL of the remote "origin", as host/path: without scheme, user,
//	                   password, port, query and ".git"; the host is in lower case. A directory of
//	                   this machine is its path, which begins with "/"; any other origin names the
//	                   project on every machine. With an "@" behind the host none is recorded
//	directory          the identity of the common directory: inode and time of birth
//	                   (disk.Identity). An inode is used again with another time of birth, so
//	                   where a file system knows no such time it is not recorded
//	config             time and size of the configuration when it was read last: it is read again
//	                   once these differ
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
// Each but the first is absent where it is not known, and in a store of an older build. A write, a
// sync and a hook at the start of a session update the record ([Site.RecordRepository]); verbs that
// only read write nothing. A record ends, with its link, when another repository takes the path:
// one whose common directory has another time of birth, and another origin. Where either is not
// recorded the path decides, for a home that comes from a backup looks the same.
//
// # The identity of a project
//
// Other machines know a project by 64 hex digits: the SHA-256 of its origin, as host/path or, where
// the port is not the default one of the scheme, host:port/path; neither slashes at the ends nor
// what origin leaves out count. A name that the configuration of git or ssh puts in the place of a
// host is taken as it is. An origin on this machine (a directory, a URL of file: or of a loopback
// address) says nothing elsewhere: then, and without one, the identity is the SHA-256 of "mem-id:"
// and the random id in the common directory. It is a hash, so that an archive cannot bring an
// identity that its maker has seen.
//
// Origin and identity are claims of the working copy, which an archive may bring: they reach no
// memories. A person decides, by [Sites.Link]. Under the lock of the records, which the kernel
// frees when a process dies, two stores that claim one identity at once do not both get it.
package site
