package capture

// hasChanged reports whether a sentence corrects a lasting value, as in "actually the port is 9100
// now"; a status or a result is passing.
func (t *text) hasChanged(low string) bool {
	return t.any(low, "changed") && !t.any(low, "passing")
}

// Correction returns the lasting part of a prompt that corrects the assistant's last turn, as in
// "no, use pnpm, not npm". Its ok is false for any other prompt.
func Correction(prompt string) (text string, ok bool) {
	t := judged(prompt, maxStoreLines, maxStore)
	if t == nil || t.quoted {
		return "", false
	}
	for i, s := range t.sentences {
		if s.asks || !t.any(s.low, "fix", "contrast") && !t.hasChanged(s.low) ||
			t.any(s.low, "not", "once", "said", "unlike", "question", "mine") ||
			t.is(s.low, "empty") || t.refused() {
			continue
		}
		if s.to-s.from < minCorrection && i+1 < len(t.sentences) {
			s.to = t.sentences[i+1].to
		}
		return t.quote(s.from, s.to), true
	}
	return "", false
}
