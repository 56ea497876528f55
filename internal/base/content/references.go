package content

import "github.com/set-memory/mem/internal/base/jsontext"

// References returns the texts in the member references of content, an array: keys, or ids, which
// are the last segments of keys. Other values in it count as absent.
func References(content []byte) (list []string) {
	for name, value := range jsontext.RawMembers(content) {
		if string(name) != "references" {
			continue
		}
		for element := range jsontext.Elements(value) {
			if text := jsontext.Unquote(element); text != "" {
				list = append(list, text)
			}
		}
	}
	return list
}
