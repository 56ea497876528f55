package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/site"
)

// Names of the header of a request.
const (
	keyHeader   = "Idempotency-Key"
	retryHeader = "Mem-Retry"
)

const (
	dialTime = 5 * time.Second
	tries    = 3
	pause    = 200 * time.Millisecond
	// maxError is how many bytes an error of a memd has at most.
	maxError = 64 << 10
	// fullPause is for a server that has no room for the request of this token now.
	fullPause = 2 * time.Second
)

// Client sends command lines to one memory behind a server.
type Client struct {
	at    site.Address
	token string
	agent string // that the caller says it is; "": the token says

	person bool  // the token is a person's
	most   int64 // bytes of an answer
	quiet  time.Duration
	now    func() time.Time
	http   *http.Client
}

// NewClient returns a client of a memory. An agent is named where a token is for several. The error
// is that of the certificates of the login.
func NewClient(at site.Address, login Login, agent string, now func() time.Time) (
	*Client, error) {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSHandshakeTimeout: dialTime,
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if login.CA != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(login.CA)) {
			return nil, errCA
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{at: at, token: login.Token, agent: agent, most: wire.MaxAnswer * 2, now: now,
		quiet: quietTime, http: &http.Client{Transport: transport, CheckRedirect: refuse}}, nil
}

var errCA = errors.New("it has no certificate in PEM")

// Error is a failure of the way to a server, or the server's refusal of a request.
type Error struct {
	fault.Fault
	Status int // of an answer; 0: there was none
}

func (c *Client) failure(kind mem.Kind, why string, do advice.List) *Error {
	return &Error{Fault: fault.Fault{Code: string(kind), What: c.at.URL(), Why: why, Do: do}}
}

// IsRefusal reports whether the server does not take the token.
func (e *Error) IsRefusal() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// Brief returns the client for answers of at most 1 MiB.
func (c *Client) Brief() *Client {
	own := *c
	own.most = 1 << 20
	return &own
}

// As returns the client with the token of a person.
func (c *Client) As(token string) *Client {
	own := *c
	own.token, own.agent, own.person = token, "", true
	return &own
}

// Whoami returns the caller that the token stands for.
func (c *Client) Whoami(ctx context.Context) (who wire.Whoami, err error) {
	err = c.ask(ctx, http.MethodGet, nil, &who)
	if err == nil && who.Tenant == "" {
		err = c.noServer(http.StatusOK)
	}
	return who, err
}

// Run runs a command line on the memory. A request whose answer was lost is sent again.
func (c *Client) Run(ctx context.Context, in *wire.Request) (out wire.Reply, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	var answer struct {
		Exit *int `json:"exit"`
		wire.Reply
	}
	if err := c.ask(ctx, http.MethodPost, body, &answer); err != nil {
		return out, err
	}
	if answer.Exit == nil || *answer.Exit < 0 || *answer.Exit > 255 {
		return out, c.noServer(http.StatusOK)
	}
	out = answer.Reply
	out.Exit = *answer.Exit
	return out, nil
}

// Post sends a document to a path of the server, once, and returns the answer.
func (c *Client) Post(ctx context.Context, path string, query url.Values, header http.Header,
	body []byte) ([]byte, error) {
	if err := c.checkToken(); err != nil {
		return nil, err
	}
	own := *c
	own.quiet = answerTime
	res, err := own.send(ctx, http.MethodPost, path, query, header, body)
	if err != nil {
		return nil, c.unreachable(err, wasSent(err))
	}
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		return nil, c.refusal(res, text)
	}
	return text, err
}

func (c *Client) checkToken() error {
	if c.token != "" {
		return nil
	}
	return c.failure(mem.KindRefused, "there is no token for "+c.at.URL(), loginAdvice(c.at))
}

// ask sends a request until it is answered, or the tries are over.
func (c *Client) ask(ctx context.Context, method string, body []byte, into any) error {
	if err := c.checkToken(); err != nil {
		return err
	}
	key, err := ulid.New(c.now(), nil)
	if err != nil {
		return err
	}
	sent := 0 // tries that the server may have got
	for try := 0; ; try++ {
		header := http.Header{keyHeader: {key}, retryHeader: {strconv.Itoa(sent)}}
		res, err := c.send(ctx, method, wire.Path, url.Values{}, header, body)
		wait := pause << try
		switch isLast := ctx.Err() != nil || try+1 == tries; {
		case err == nil && (res.StatusCode != http.StatusTooManyRequests || isLast):
			return c.decode(res, into)
		case err == nil:
			wait = fullPause // nothing ran
		case isLast || !mayRetry(err):
			sent += sentBy(err)
			return c.unreachable(err, method == http.MethodPost && sent > 0)
		default:
			sent += sentBy(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

func (c *Client) send(ctx context.Context, method, path string, query url.Values,
	header http.Header, body []byte) (*http.Response, error) {
	query.Set("tenant_id", c.at.Tenant)
	if c.agent != "" {
		query.Set("agent_id", c.agent)
	}
	to := c.at.Origin + c.at.Prefix + path + "?" + query.Encode()
	ctx, p, end := c.waiting(ctx)
	defer end()
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		req.Body = io.NopCloser(sending{req.Body, p.timer})
	}
	req.Header = header
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, p.reason(ctx, err)
	}
	defer res.Body.Close()
	p.Reader = res.Body
	text, err := io.ReadAll(io.LimitReader(p, c.most))
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, p.reason(ctx, err)
}

// mayRetry reports whether the same request may succeed.
func mayRetry(err error) bool { return !wasRefused(err) && !errors.Is(err, errQuiet) }

// wasRefused reports whether a certificate is wrong, or the server speaks without TLS.
func wasRefused(err error) bool {
	var cert *tls.CertificateVerificationError
	return errors.As(err, &cert) || speaksHTTP(err)
}

// speaksHTTP reports whether a server answered the beginning of TLS in plain HTTP.
func speaksHTTP(err error) bool { return errors.Is(err, http.ErrSchemeMismatch) }

// sentBy returns 1 where a server may have got a request that failed, else 0.
func sentBy(err error) int {
	if wasSent(err) {
		return 1
	}
	return 0
}

// wasSent reports whether a server may have got a request that failed.
func wasSent(err error) bool {
	var op *net.OpError
	return !wasRefused(err) && !(errors.As(err, &op) && op.Op == "dial")
}

// unreachable returns the error of a request without an answer.
func (c *Client) unreachable(err error, sent bool) error {
	out := c.failure(mem.KindIO, cause(err),
		advice.Say("is the server running, and is the network there?"))
	out.Err = err
	var cert *tls.CertificateVerificationError
	var host x509.HostnameError
	switch {
	case errors.As(err, &host):
		out.Code = string(mem.KindRefused)
		out.Why = "its certificate is for another name: " + host.Error()
		out.Do = advice.Say("name the server as its certificate does")
	case errors.As(err, &cert):
		out.Code = string(mem.KindRefused)
		out.Why = "its certificate is not trusted: " + cert.Err.Error()
		out.Do = advice.RunAlone("token login", c.at.URL(), "--ca", "FILE").
			Then(" trusts a private authority")
	case speaksHTTP(err):
		out.Code, out.Why = string(mem.KindRefused), "it speaks http, and no https"
		out.Do = advice.Say("memd serve takes --tls-cert and --tls-key")
	case sent:
		out.Code = string(mem.KindUnknown)
		out.Why = "it is unknown whether the server ran the command: " + out.Why
		out.Do = advice.Say("look, and repeat it if it was not")
	}
	return out
}

// cause returns the text of an error without the URL of the request.
func cause(err error) string {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return err.Error()
}

// noServer returns the error of an answer that no memd gives. One of a balancer may hide that the
// command was run.
func (c *Client) noServer(status int) *Error {
	out := c.failure(mem.KindIO,
		fmt.Sprintf("it answers %d, and is no memd or an older one", status),
		advice.Say("look whether the URL is that of memd, and of this version"))
	out.Status = status
	if status == http.StatusBadRequest && strings.HasPrefix(c.at.Origin, "http:") {
		out.Do = advice.Say("does it want https?")
	}
	if status >= http.StatusInternalServerError {
		out.Code = string(mem.KindUnknown)
		out.Why = fmt.Sprintf("it answers %d: it is unknown whether the command was run", status)
		out.Do = advice.Say("look, and repeat it if it was not")
	}
	return out
}

// decode reads an answer.
func (c *Client) decode(res *http.Response, into any) error {
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	// After a sign that the verb runs an error has the status of an answer.
	failed := bytes.HasPrefix(bytes.TrimSpace(text), []byte(`{"error":`))
	if res.StatusCode == http.StatusOK && !failed && json.Unmarshal(text, into) == nil {
		return nil
	}
	return c.refusal(res, text)
}

// refusal returns the error of an answer with a status of failure.
func (c *Client) refusal(res *http.Response, text []byte) error {
	out := c.noServer(res.StatusCode)
	if res.StatusCode/100 == 3 {
		out.Code = string(mem.KindRefused)
		out.Why = "it redirects, and a token is never sent elsewhere"
		if to, err := res.Location(); err == nil {
			out.Do = advice.Say("the URL there begins with " + to.Scheme + "://" + to.Host)
		}
		return out
	}
	var reply mem.ErrorReply
	if len(text) <= maxError && json.Unmarshal(text, &reply) == nil && reply.Error.Code != "" {
		out.Do = nil
		if out.Why = oneLine(reply.Error.Message); isFailure(reply.Error.Code) {
			out.Code = string(reply.Error.Code)
		}
		if strings.HasPrefix(out.Why, "tenant_id: ") {
			out.Why, out.Do = "the token there is for another tenant", c.tokenAdvice()
		} else if res.StatusCode == http.StatusUnauthorized {
			out.Why, out.Do = "its token is not valid there, or no longer", c.tokenAdvice()
		} else if reply.Error.Hint != "" {
			out.Do = advice.Say(oneLine(reply.Error.Hint))
		}
	}
	return out
}

// isFailure reports whether a code of a server is one of this version, and no success.
func isFailure(code mem.Kind) bool {
	return code != mem.KindDone && slices.ContainsFunc(mem.Kinds(),
		func(known mem.KindInfo) bool { return known.Kind == code })
}

// oneLine returns the words of a server on one line: it could forge a second message.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
