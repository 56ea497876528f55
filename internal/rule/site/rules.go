package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
)

// A person may let the rules of a team's server bind the agents here: then the book has a file for
// the store, by its id, with the identity of that server. The rules of any other server are data,
// also of one in the same place.

// rulesName is the directory of these files.
const rulesName = "rules"

// ServerID returns the identity of a server for its client: the URL of the memory, the token that
// the server has given out, and the certificates that are trusted for it ("": the system's). Where
// any of them changes another server may answer. The identity reveals none of them.
func ServerID(url, token, certificates string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{url, token, certificates}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// LetRulesIn lets the rules of a server bind, in place of those of another one.
func (b *Book) LetRulesIn(g Grant, server string) error {
	if !isID(g.ID) {
		return ErrGrant
	}
	dir, err := b.create(rulesName)
	if err != nil {
		return err
	}
	defer dir.Close()
	// A crash leaves the old file or the new one: the rules of one server bind, or of none.
	return dir.WriteBytesSync(g.ID, []byte(server+"\n"))
}

// TakesRules reports whether the rules of a server bind, by a readable file of this user.
func (b *Book) TakesRules(g Grant, server string) bool {
	known, err := b.rulesOf(g)
	return err == nil && server != "" && known == server
}

// HasRules reports whether the rules of some server were let in for a store.
func (b *Book) HasRules(g Grant) bool {
	known, err := b.rulesOf(g)
	return err == nil && known != ""
}

// RuledBy returns the stores, by their paths, whose team's rules were let in for a server.
func (b *Book) RuledBy(server string) (paths []string, err error) {
	list, err := b.List()
	for _, e := range list {
		if server != "" && b.TakesRules(Grant{ID: e.ID}, server) {
			paths = append(paths, e.Path)
		}
	}
	return paths, err
}

func (b *Book) rulesOf(g Grant) (server string, err error) {
	if b == nil || !isID(g.ID) {
		return "", ErrGrant
	}
	dir, err := b.open(rulesName)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	text, err := readMine(dir, g.ID, maxRecord)
	return strings.TrimSuffix(string(text), "\n"), err
}

// RevokeRules takes the rules of a store's server back, and reports whether they were let in.
func (b *Book) RevokeRules(g Grant) (was bool, err error) {
	if !isID(g.ID) {
		return false, nil
	}
	dir, err := b.open(rulesName)
	if err != nil {
		return false, ignoreNone(err)
	}
	defer dir.Close()
	// A crash before the directory is synced may bring the file back, as before the command.
	err = dir.Remove(g.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = dir.Sync()
	}
	return err == nil, err
}
