// Package capture decides, without a model, whether the prompt of a coding agent's user asks to
// remember something. It owns the rules and the words of seven languages: English, German,
// Spanish, French, Chinese, Japanese and Korean. It stores nothing and reads no files.
//
//	Store    the prompt plainly asks, and its fact may be stored
//	Propose  it seems to ask; a person or a model decides
//	Nothing  anything else
//
// A wrong Store writes a memory that nobody wanted, and a pasted page could plant one. So every
// doubt lowers the verdict.
//
// # Rules
//
// Asked applies them in this order:
//
//  1. A prompt of more than 2,000 bytes or 6 lines, or of invalid UTF-8, is Nothing.
//  2. So is one with the form of a command, a paste or hidden text: a leading ! or /, a fence, a
//     line of mail quotes, a tag like <private>, @file, a pipe into a shell, a line of a log or
//     of code, the marks of a web page, characters without a shape (forms).
//  3. So is one with words of attacks, of passwords or of checks to be disabled (risk), unless it
//     has them as a topic, as "password rotation" (topic); and one that asks to summarize,
//     translate or answer a text, or has the phrases of letters (paste).
//  4. Code in backquotes and quotes are masked: a request inside a quote is none.
//  5. A sentence asks if it has a request to remember (remember, tail, polite) or a lasting rule
//     (rule, loose, or fix with scope). It does not if it negates the request (not), binds it to
//     this task (once), reports the words of others (said), asks a question (question), or speaks
//     of a feature of the program or a mood (unlike). Where the words of others are the statement
//     of a request ("remember that the client asked for dark mode") it is a Propose. A polite
//     question ("could you remember that ...") is a request. "Save that", "write it down" and
//     "keep this, then go on" (bare, next) have nothing in them to be remembered: they ask only
//     with a sentence before them, or behind them if they do not point back (back). "Never again"
//     or "always do that" has no rule in it (empty). A statement in passing ("fyi", "heads up",
//     inform) asks, whatever it is about, unless it passes soon ("fyi the build is red", once).
//     "Remember the region is fra" (states) and a rule in plain words ("stop adding emojis to
//     commits", habit) ask, too; the rule does not if it names one thing or the moment (single).
//  6. The first sentence that asks decides. In three lines or more, a question about the rest, or
//     titles below the first sentence, make it Nothing.
//  7. It is a Store if it is the first sentence behind a greeting and begins with the request; the
//     prompt has at most 3 lines and 500 characters, no quotes, no topics of rule 3, no links,
//     addresses or @scope/package, and no words that bind to this task; and, with several lines,
//     each ends as prose does. Else it is a Propose. So is a list below "remember the following:".
//
// The verb stands at the end of a Japanese or Korean sentence, and a Chinese request may stand
// there too: for these a sentence begins with a request if it is one from its topic to its end.
//
// The text of a request is its sentence without the words that ask; with a pronoun ("remember
// this") it is up to three sentences before it, too, and requests right behind it are part of it.
// A step behind it ("and please rerun the linter", errand) is none of it, except of a rule. It is a
// rule if a clause begins with words of a lasting rule that are no contrast within a statement
// ("levels are in mm, never in m", aside), and plain if one begins with words that ask to remember.
//
// It is about the user if each of its sentences that states something is, without the words that
// ask. A prompt that begins with a request and is refused by the rules 1 to 3 says why
// (Request.Why).
//
// PointsBack reports that a prompt is a request of rule 5 without a statement, and that no commit
// keeps what it points to (git).
//
// Correction applies rules 1 to 4 to a prompt of at most 3 lines and 500 characters, without
// quotes. It returns the first sentence that states how things are done in the project (fix):
// with "we", with "this and not that", with "must" or "is generated"; or that names a mistake and
// its correction, or another tool ("no, use pnpm", contrast), or a value that has changed
// ("actually the port is 9100 now", changed), but no status or result (passing). Sentences about
// the task itself ("I meant the other file", "make it blue") are none (mine).
//
// # Words
//
// words.txt has the patterns, by language and name; the section "every" holds for all. A language
// is tried if its letters or its frequent words are in the prompt (letters), so a prompt may mix
// languages. Patterns match folded text: small letters without accents and half-width, so that
// typing in haste makes no difference. Where "NAME words" has plain words, the pattern NAME is
// tried on texts with one of them only.
//
// Nothing is done at the start of a process. The table is read at the first prompt, and a pattern
// is compiled when a sentence gets as far as to need it. A prompt over the limit returns by its
// length alone.
package capture
