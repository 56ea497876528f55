package site

import (
	"net/url"
	"path/filepath"
	"strings"
)

// normalOrigin returns the URL of a remote repository as host/path, the same for each of its forms:
// without scheme, user, password, port, query and the ending .git. A directory of this machine is
// its absolute path. It is "" for a text that names neither, as a relative path.
func normalOrigin(text string) string {
	host, _, path := parseOrigin(text)
	if path == "" {
		return ""
	}
	return host + "/" + path
}

// defaultPorts are those that a URL of a scheme need not name.
var defaultPorts = map[string]string{"http": "80", "https": "443", "ssh": "22", "git": "9418"}

// parseOrigin returns the parts of the URL of a remote repository that name it: the host in lower
// case, a colon and its port, unless that is the default one, and the path. Without a path the text
// names none.
func parseOrigin(text string) (host, port, path string) {
	host, path, _ = strings.Cut(text, ":")
	_, behind, _ := strings.Cut(strings.TrimPrefix(path, "//"), "/")
	switch u, err := url.Parse(text); {
	case strings.Contains(behind, "@") || filepath.IsAbs(text) && strings.Contains(text, "@"):
		return "", "", "" // a part of a password may be before it
	case strings.Contains(text, "://"):
		if err != nil {
			return "", "", ""
		}
		host, path = u.Hostname(), u.Path
		if named := u.Port(); named != "" && named != defaultPorts[u.Scheme] {
			port = ":" + named
		}
	case filepath.IsAbs(text):
		host, path = "", filepath.ToSlash(text)
	default: // [user@]host:path, as for scp
		name, _, _ := strings.Cut(path, "/")
		host = host[strings.LastIndexByte(host, '@')+1:]
		if len(host) < 2 || path == "" || strings.ContainsAny(host, "/\\[]") ||
			strings.ContainsAny(name, ":@") { // a drive, a file, or a password
			return "", "", ""
		}
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	return strings.ToLower(host), port, strings.TrimRight(path, "/")
}
