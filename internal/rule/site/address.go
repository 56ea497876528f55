package site

import (
	"errors"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"unicode"
)

var (
	// ErrAddress is returned for a text that is no URL of a memory behind a server.
	ErrAddress = errors.New("want https://HOST[:PORT]/TENANT")
	// ErrPlain is returned for http to another machine.
	ErrPlain = errors.New("a token goes over https alone, or to this machine")
	// ErrSecret is returned for a URL with a password, a query or a fragment.
	ErrSecret = errors.New("it has a user, a query or a fragment: a token never stands in a URL")
)

// Address is a memory behind a server.
type Address struct {
	Origin string // https://HOST:PORT, with the default port left out
	Prefix string // of the paths of the server; "" or /PREFIX
	Tenant string
}

// ParseAddress returns the address that a URL is. The error is ErrAddress, ErrPlain or ErrSecret.
func ParseAddress(text string) (a Address, err error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || !IsServed(text) || u.Host == "" ||
		strings.ContainsFunc(text, isUnprinted), strings.Contains(text, "%"):
		return a, ErrAddress
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return a, ErrSecret
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return a, ErrPlain
	}
	whole := path.Clean("/" + u.Path)
	a.Tenant = path.Base(whole)
	if a.Prefix = path.Dir(whole); a.Prefix == "/" {
		a.Prefix = ""
	}
	if a.Tenant == "/" || a.Tenant == "." {
		return a, ErrAddress
	}
	a.Origin = originOf(u)
	return a, nil
}

// isUnprinted reports whether a character of a URL is not shown as what it is.
func isUnprinted(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }

// ParseOrigin returns the origin of a URL, with a path or without.
func ParseOrigin(text string) (string, error) {
	a, err := ParseAddress(strings.TrimRight(text, "/") + "/x")
	return a.Origin, err
}

// originOf returns scheme, host and port of a URL, spelt one way.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(host, port)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost"
}

// URL returns the address as it is typed.
func (a Address) URL() string { return a.Origin + a.Prefix + "/" + a.Tenant }
