package serve

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/view/journal"
)

type (
	connKey  struct{} // the connection of a request
	tokenKey struct{} // its token, if it needs one
)

// withConn keeps a connection in its context.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connOf returns the connection of a request; nil where that is not known.
func connOf(r *http.Request) net.Conn {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	return conn
}

// isTrusted reports whether a request came over the unix socket, which only its owner can open.
// Whatever else it came over is not trusted.
func isTrusted(r *http.Request) bool {
	conn := connOf(r)
	return conn != nil && isUnix(conn)
}

// admit lets a request in, or says why not.
func (s *Server) admit(w *watched, r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !isOwn(origin, r.Host) {
		return errOrigin
	}
	if isTrusted(r) {
		return nil
	}
	if !s.isKnown(r.Host) {
		return errHost
	}
	_, pattern := s.mux.Handler(r)
	if rt := s.routes[pattern]; rt != nil && rt.admits {
		return nil
	}
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return errUnauthorized
	}
	token, ok, err := s.tokens.Check(strings.TrimSpace(secret))
	if err != nil {
		return err
	}
	if !ok {
		return errUnauthorized
	}
	*r = *r.WithContext(context.WithValue(r.Context(), tokenKey{}, &token))
	return nil
}

// isOwn reports whether an Origin is the address that the request itself went to.
func isOwn(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// isKnown reports whether a Host is an address, or a name of this server. Another name may have
// been bound to this address by its owner, so that a browser takes the owner's pages for ours.
func (s *Server) isKnown(host string) bool {
	host = canonicalHost(host)
	_, err := netip.ParseAddr(host)
	return err == nil || s.hosts[host]
}

// canonicalHost returns a host without its port and brackets, in small letters.
func canonicalHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// tokenOf returns the token of a request; nil where it needs none.
func tokenOf(r *http.Request) *Token {
	token, _ := r.Context().Value(tokenKey{}).(*Token)
	return token
}

// tenantOf returns the tenant of a request that names it, in one way or two: "" is none.
func tenantOf(token *Token, names ...string) (string, error) {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	switch {
	case token != nil:
		names = append([]string{token.Tenant}, names...)
	case len(names) == 0:
		return "", fault.Input("tenant_id", "it is missing",
			advice.Say("name it in the body or in the query"))
	}
	for _, name := range names[1:] {
		if name == names[0] {
			continue
		}
		if token != nil {
			return "", errTenant
		}
		return "", fault.Input("tenant_id", "body and query name two",
			advice.Say("name it in one of them"))
	}
	return names[0], CheckTenant(names[0])
}

// agentOf returns the agent of a request that names it, in one way or two; "" for none. A token for
// one agent alone names it, unless it is a person's: with an agent they take no decision.
func agentOf(token *Token, names ...string) (string, error) {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 2 && names[0] != names[1] {
		return "", fault.Input("agent_id", "body and query name two",
			advice.Say("name it in one of them"))
	}
	switch {
	case len(names) == 0 && token != nil && !token.Person && len(token.Agents) == 1:
		return token.Agents[0], nil
	case len(names) == 0:
		return "", nil
	case token != nil && !slices.Contains(token.Agents, names[0]):
		return "", errAgent
	}
	return names[0], journal.CheckAgent(names[0])
}
