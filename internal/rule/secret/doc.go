// Package secret finds what looks like a secret in the JSON of a memory, and says by which rule and
// where, but never what. It owns the rules and the places; package policy refuses a write by its
// findings, before anything is appended. It also takes secrets out of records that must not be
// refused. It keeps nothing on disk. docs/secrets.md lists for people the refused values
// and the harmless ones, docs/secret-rules.md has the worth of each part.
//
// # Rules
//
// rules.tsv holds the rules of gitleaks (MIT, see LICENSE.gitleaks), and keywords.tsv the words
// that open them, both written by tools/gitleaks from the version that its go.mod pins; it also
// compares their verdicts with those of gitleaks itself. A rule is run if one of its keywords is
// anywhere in the text, in any case. Then its pattern must match, the secret in the match must have
// more entropy than the rule says, and no allowlist and no stop word may let it pass. The five
// rules about file names are left out: a memory has none. Comments like gitleaks:allow do not
// count, since the author of a secret could write one.
//
// Five rules are code:
//
//	token-prefix       sk- ghp_ gho_ glpat- xoxb- xoxp- at the start of a word,
//	                   and six letters and digits in a row; other prefixes of issuers and
//	                   webhooks, and what looks drawn (own.go); the forms of services, by letters
//	                   and length (form.go)
//	private-key        a key in PEM whose end is missing (pem.go); the table has whole ones
//	credential-marker  a value after a word that names a password, a token or a key (marker.go,
//	                   sentence.go), near one (near.go, chosen.go), after Authorization: or
//	                   Bearer, or a flag (command.go), a PIN, a code in groups, a payment
//	                   card, a line of .pgpass (person.go), and the words of a wallet (seed.go)
//	url-password       the password before the host of a URL (command.go)
//	random-blob        40 letters and digits in a row with capitals, small letters and digits
//	                   (blob.go)
//
// The words are those of words.go, in several languages. A value behind a word, a colon, an equals
// sign or "is", or as the value of a JSON member, must have letters and digits and some length;
// after the name of a password any value counts in quotes, behind an equals sign without spaces, or
// as a flag, and after the scheme of an Authorization header always. A value near a word, with a
// few words between, also needs a capital or a sign, or must look drawn: 16 characters or more that
// alternate between letters and digits. Only the latter counts without a link, and after words like
// "key", which mostly name the key of a record. In the line of a password or an account a value
// counts that a person seems to have chosen (chosen.go).
//
// In a note (a key under /note) the prefix alone is enough, and any value after password and token,
// as notes promise. Placeholders, references ("see the vault") and plain words about passwords are
// no secrets anywhere (words.go).
//
// The words of a wallet are those of BIP 39 (bip39.txt). Twelve in a row with spaces between count
// anywhere; with commas, or eight of twelve, they need a label such as seed phrase or MetaMask. A
// colon, the end of a sentence and the quotes of a JSON string end the row, so that a finding is
// the phrase alone, without a member's name. The number of a card counts near a word like card or
// CVV if its last digit is a check digit. A blob passes in the path of a URL or a data URL and in
// the block of a public key; checksums, fingerprints and public keys pass by their beginning and
// length, or behind a name like "etag" (sum.go).
//
// # Text
//
// A JSON value is scanned as one text: its escapes are decoded, quotes and punctuation stay, so
// that a name and its value stand side by side. Full-width letters, digits and signs of assignment
// count as ASCII (narrow.go). A place is a path like content.env[2] and the
// characters of the string there, from 1. The path does not show a member's name that is a secret
// itself.
//
// # Redaction
//
// What an agent has done is recorded, not refused: Redact returns the value without its secrets.
// [redacted: RULE] stands for the characters of each, wherever Scan finds one:
//
//	{"password":"hunter2"}    {"password":"[redacted: credential-marker]"}
//
// Scan finds nothing in what Redact returns, and Redact changes nothing there. The rest stays to
// the byte: escapes, the spelling of numbers, the order of members. A number becomes a string, and
// a name that the object has already gets a number, as in "[redacted: github-pat] 2", because
// package jsontext refuses duplicates. A secret that goes through several strings is replaced in
// each of them. Redact goes further than Scan in two things: it takes a number after the name of a
// password, and all of a value that is longer than the 512 bytes that a rule looks at.
//
// The rest is checked again (redact.go), because a secret may have hidden the one beside it. If the
// same is found once more, its line goes, then its string, then the whole value. Findings that
// overlap become one mark, with the name of the rule that says most. A mark is no secret itself,
// whatever stands before it, and the words in its rule's name are no markers (inMark).
//
// RedactText is the same for the output of a tool: it is checked as one JSON string, so it replaces
// exactly the findings of Scan in the stored string. A PEM key goes as a whole, fences included.
// Mask is for messages: it replaces the words with a secret in them (package mem, Shown).
//
// # Cost
//
// One pass finds the keywords (keyword.go). A rule is parsed and compiled when first needed, and
// only if the text passes a cheap gate (gate.go) that every match of it passes. tools/gitleaks
// derives the gates from the patterns; TestGatesLoseNothing compares them with the patterns alone.
// Nothing is done at the start of a process. A redaction takes time in proportion to the length
// (TestHostileTextsAreRedactedInLinearTime).
//
// Scan reports about a hundred findings of one text; Redact replaces all. A secret is replaced
// where it is found, and not where it stands again without a sign.
package secret
