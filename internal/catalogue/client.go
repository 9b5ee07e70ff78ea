package catalogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// The routes of the service (INTERFACE.md, Endpoints): those of model groups and models begin with ModelGroupsPath.
const (
	ModelGroupsPath = "/v1/model-group"
	TokenPath       = "/v1/auth/token" //nolint:gosec // a path, no credential
)

// Config holds the settings of a Client. A duration or a count of zero is not replaced by a default: set them all.
type Config struct {
	BaseURL      *url.URL // of scheme https, or http to this machine; without a slash at its end
	ClientID     string
	ClientSecret string
	AccessToken  string // a bearer token in place of ClientID and ClientSecret, or empty; a given one is never renewed

	// For a gateway in front of the service: headers of every request, by name, and the certificate, with its
	// chain, for a server that asks for one. The values of headers are as secret as ClientSecret.
	Headers           map[string]string
	ClientCertificate tls.Certificate // the zero value for none

	CACertificates []*x509.Certificate // trusted beside the system's own
	Proxy          *Proxy              // of all requests; nil for none, even if the environment names one
	RequestTimeout time.Duration       // of one attempt, the body included
	ReadTimeout    time.Duration       // of one call, every wait and retry included
	MaxRetries     int                 // further attempts after the first, for failures that may pass
	Ceiling        pace.Limit          // of this process, requests for tokens included; zero for none
	Snapshot       bool                // ask each question once; else every call asks afresh

	UserAgent string // of printable characters only
	// Observe gets each exchange. Note gets a sentence for each pause, for any other wait of more than ten seconds, for
	// each retry, for each request for a token, also as JSON after a form, for each refused token, and for a service
	// that is down or an allowance that is used up, with the context of a waiting read. Note is called by one goroutine
	// at a time, in order, and must not begin a read. Both may be nil.
	Observe func(context.Context, Exchange)
	Note    func(context.Context, string)

	// Tests replace these: the network, or all of net/http, and the source of the jitter of back-offs, in [0, 1). Nil
	// for the usual ones.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	Transport   http.RoundTripper
	Jitter      func() float64
}

// Client reads the catalogue. It is safe for concurrent use, and one Client is meant to serve a whole process.
type Client struct {
	cfg     Config
	maxBody int64
	mask    *redact.Mask
	reads   *dispatcher
	// The server has asked for a client certificate, and has answered a request (since then, if it asked).
	asked, answered atomic.Bool
}

// New makes a client. It sends nothing: the first read asks for the first token.
func New(cfg Config) *Client {
	c := &Client{maxBody: MaxBody, mask: &redact.Mask{}}
	if cfg.Transport == nil {
		cfg.Transport = newTransport(cfg, func() {
			c.asked.Store(true)
			c.answered.Store(false)
		})
	}
	c.cfg = cfg
	c.reads = newDispatcher(cfg, c.exchange, &question{
		to:   c.to(http.MethodPost, TokenPath, ""),
		read: c.readToken,
	})
	c.mask.Add(cfg.ClientSecret)
	c.mask.Add(cfg.AccessToken)
	for _, value := range cfg.Headers {
		c.mask.AddHeader(value)
	}
	if cfg.Proxy != nil {
		password, _ := cfg.Proxy.url.User.Password()
		c.mask.Add(password)
	}
	return c
}

// Raw returns the elements of the list at a target, the path below the base URL, as the service spelled them. It
// decodes nothing in them. A part of a list is an error.
func (c *Client) Raw(ctx context.Context, target string) ([]jsontext.Value, error) {
	return lookup(ctx, c, "reading "+target, c.to(http.MethodGet, "{}", target), decodeRaw)
}

// RawOne returns the value at a target in the same way, as the only element.
func (c *Client) RawOne(ctx context.Context, target string) ([]jsontext.Value, error) {
	value, err := lookup(ctx, c, "reading "+target, c.to(http.MethodGet, "{}", target), rawValue)
	return []jsontext.Value{value}, err
}

// Clean returns a text of the service without the credentials that this client has sent, which the service may repeat.
func (c *Client) Clean(text string) string { return c.mask.Clean(text) }

// CleanQuotes returns a text of this side whose quotes, which %q writes, are cleaned like a text of the service.
func (c *Client) CleanQuotes(text string) string { return c.mask.CleanQuotes(text) }

// TotalPause returns how long the service's pauses have held back the requests of this client so far.
func (c *Client) TotalPause() time.Duration {
	return c.reads.totalPause()
}
