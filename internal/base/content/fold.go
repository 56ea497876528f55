package content

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// FoldText returns a text as it is compared with others: in compatibility form (NFKC), in lower
// case, its words parted by one blank. Texts that are equal so say the same.
func FoldText(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(text))), " ")
}
