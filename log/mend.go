package log

import "bytes"

// maxMended is the longest line that Mend tries: of 4 KiB it takes the sums of 32,768 lines.
const maxMended = 4 << 10

// Mend returns the envelopes that the bytes of a damaged line were before one bit flipped, by their
// checksums; none where no single bit explains it. They are two where the bit was of the line break
// between them. No other bit fits as well, for that would be a second text with the same sum.
func Mend(raw []byte) []Envelope {
	if len(raw) > maxMended {
		return nil
	}
	text := bytes.Clone(raw)
	for i := range text {
		for bit := byte(1); bit != 0; bit <<= 1 {
			text[i] ^= bit
			if list := sealedLines(text); list != nil {
				return list
			}
			text[i] ^= bit
		}
	}
	return nil
}

// sealedLines returns the envelopes of lines that all end in the checksums of their own bytes; nil
// where one does not.
func sealedLines(text []byte) (list []Envelope) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if text = rest; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		line = trim(line)
		if !Sealed(line) {
			return nil
		}
		e, err := DecodeStrict(line)
		if err != nil {
			return nil
		}
		list = append(list, e.Clone())
	}
	return list
}
