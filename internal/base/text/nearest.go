package text

// Nearest returns the word of a list that was probably meant by another; "" where none is near. Of
// two as near the one that begins alike, and then ends alike: gett meant get, not set, and nots
// meant notes, not note.
func Nearest(word string, list []string) (near string) {
	least, alike := mostTypos(word)+1, -1
	for _, other := range list {
		d := typos(word, other, least)
		same := SamePrefix(word, other)*(len(word)+1) + sameSuffix(word, other)
		if d < least || d == least && near != "" && same > alike {
			near, least, alike = other, d, same
		}
	}
	return near
}

// mostTypos is how many mistakes are believed in a word: one in three letters, at most three.
func mostTypos(word string) int { return min(max(len(word)/3, 1), 3) }

// SamePrefix counts the bytes that two words begin with.
func SamePrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// sameSuffix counts the bytes that two words end with.
func sameSuffix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// typos returns how many letters have to be added, dropped, replaced or swapped with their
// neighbour to make b of a; more than most where that is certain.
func typos(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			} else {
				row[j+1] = min(row[j+1], last[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
