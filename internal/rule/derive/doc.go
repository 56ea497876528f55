// Package derive proposes facts about a project from the records of a coding agent's tools, without
// a model. A person approves a proposal or drops it; nothing is kept here, on disk or in memory. It
// owns the rules that decide which fact is worth a question, as pure functions: package secret
// judges the text again before a record is written.
//
// # Rules
//
// Commands reads the steps of one project, session by session, in this order:
//
//  1. A line that deletes, publishes, downloads and runs, or holds a secret is dropped, and so are
//     alternatives, documents and substitutions, whose outcome is unknown. Programs that look
//     around or talk to other machines (ls, git, ssh), and mem itself, are no work on the project.
//  2. The rest is cut into commands. A folder with a full path, redirections, what stands behind a
//     pipe, and words that measure or detach go; "cd web &&" and "source .venv/bin/activate &&"
//     stay in the text. The kind of a command (test, build, start, ...) comes from its first word
//     that names a task, its family from its program.
//  3. command-after-failure: a command worked within eight steps after a variant of it failed. Both
//     have the same program or the same kind, and the second one has another program, runner,
//     assignment, flag, task or port. Another file, test or level of output is no fact, nor are a
//     repair (--fix), a request for help, and a part of the tests. It is dropped if an edit came
//     between, if the failed command works anywhere in the session, if the other one worked before,
//     or if the failure was a time limit or a signal.
//  4. project-command: a command of a known kind worked twice, in one session or in several.
//     Its key names the program; a second command of the same program has its kind behind that.
//  5. found: at least two searches ended in one file that was then read or edited, or a session had
//     one search, at its end, and edited nothing. The last search worked, the file is below the
//     folder that it names, and no step before named the file. One for a session.
//
// Five are returned: those that two sessions have seen first, then in the order above. A command
// that is proposed by rule 3 is not proposed again by rule 4.
//
// Decisions reads an assistant's message: at most three lines under a heading such as "Key
// learnings", in seven languages, or behind such a word and a colon. Headings of work to do, of
// choices and of reports do not count, nor do quotes, code, questions, reports of edits, and lines
// with a secret.
//
// # Text
//
// A command is data: characters that do not show become spaces, and a text stays on one line of at
// most 400 characters. A command of more than 180 is dropped, a line of a message is cut at 300.
//
// rules.txt holds the words and the patterns. It is read when first needed.
//
// # Limits
//
// Outputs and answers are not read: a port that only an answer names is not found, and a file is
// the one that a search led to, not certainly the one that had the answer. The outcome of a pipe is
// that of its last command, and is taken for the first one's.
package derive
