package layer

import "strings"

// IsRemote reports whether the name of a root is the URL of a store on a server, and no directory.
func IsRemote(root string) bool {
	return strings.HasPrefix(root, "postgres://") || strings.HasPrefix(root, "postgresql://")
}
