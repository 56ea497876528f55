package inbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/set-memory/mem/internal/base/disk"
)

// scheduledFile has a line for each text that a model wrote for a later prompt: 32 hex digits of
// the SHA-256 of its letters and digits. Above maxScheduled its older half leaves.
const scheduledFile, maxScheduled = "scheduled", 64 << 10

// Schedule notes a text that a model wrote for a later prompt.
func (b *Inbox) Schedule(prompt string) error {
	dir, err := b.open(".", true)
	if err != nil {
		return err
	}
	defer dir.Close()
	lines, err := dir.ReadFile(scheduledFile, 2*maxScheduled)
	if disk.IgnoreNotExist(err) != nil {
		return err
	}
	if len(lines) > maxScheduled { // the older half leaves
		if err := dir.WriteFile(scheduledFile, lines[len(lines)/sumLine/2*sumLine:]); err != nil {
			return err
		}
	}
	f, err := dir.Append(scheduledFile)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(sumOf(prompt) + "\n"))
	return errors.Join(err, f.Close())
}

// sumLine is the length of a line of the file.
const sumLine = 33

// WasScheduled reports whether a model wrote the text of a prompt, or may have.
func (b *Inbox) WasScheduled(prompt string) bool {
	dir, err := b.open(".", false)
	if err != nil {
		return disk.IgnoreNotExist(err) != nil
	}
	defer dir.Close()
	lines, err := dir.ReadFile(scheduledFile, 2*maxScheduled)
	if err != nil {
		return disk.IgnoreNotExist(err) != nil
	}
	return bytes.Contains(lines, []byte(sumOf(prompt)))
}

// sumOf identifies a text by its letters and digits, whatever a client does to the rest.
func sumOf(prompt string) string {
	sum := sha256.Sum256([]byte(Letters(prompt)))
	return hex.EncodeToString(sum[:16])
}

// Letters returns the letters and digits of a text, in compatibility form (NFKC) and lower case.
func Letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(text))
}
