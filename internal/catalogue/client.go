package catalogue

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	modelGroupsPath = "/v1/model-group"
	tokenPath       = "/v1/auth/token" //nolint:gosec // a path, no credential
)

// Config is what a Client needs. Durations and counts of zero mean what they
// say: set them all.
type Config struct {
	BaseURL      *url.URL // as ParseBaseURL returns it
	ClientID     string
	ClientSecret string

	CACertificates       []*x509.Certificate // trusted beside the system's own
	RequestTimeout       time.Duration       // of one attempt, the body included
	ReadTimeout          time.Duration       // of one call, every wait and retry included
	MaxRetries           int                 // further attempts after the first, for failures that may pass
	MaxRequestsPerSecond float64             // 0 for no ceiling
	Snapshot             bool                // ask each question once; else every call asks afresh

	UserAgent   string
	Observe     func(context.Context, Exchange)                                   // told of each exchange; nil for nobody
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error) // nil for the network
}

// Client reads the catalogue. It is safe for concurrent use, and one Client is
// meant to serve a whole process: the token, the pace and the answers it knows
// are its own.
type Client struct {
	base           *url.URL
	requestTimeout time.Duration
	readTimeout    time.Duration
	maxRetries     int
	maxBody        int64

	http      *http.Client
	tokenHTTP *http.Client
	mask      *mask
	pace      *pace
	tokens    *tokens

	groupLists snapshot[[]*ModelGroup]
	groups     snapshot[*ModelGroup]
	modelLists snapshot[[]*Model]
	models     snapshot[*Model]
}

// New makes a client. It sends nothing: the first read asks for the first
// token.
func New(cfg Config) *Client {
	c := &Client{
		base:           cfg.BaseURL,
		requestTimeout: cfg.RequestTimeout,
		readTimeout:    cfg.ReadTimeout,
		maxRetries:     cfg.MaxRetries,
		maxBody:        MaxBody,
		mask:           &mask{},
		pace:           newPace(cfg.MaxRequestsPerSecond),
	}
	c.mask.add(cfg.ClientSecret)
	observe := cfg.Observe
	if observe == nil {
		observe = func(context.Context, Exchange) {}
	}
	observed := &observer{next: newTransport(cfg), userAgent: cfg.UserAgent, clean: c.mask.clean, observe: observe}
	// A redirect could take the token or the secret to another host.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &http.Client{Transport: observed, CheckRedirect: stay}
	c.tokenHTTP = &http.Client{Transport: wholeAnswers{next: observed, mask: c.mask}, CheckRedirect: stay}
	c.tokens = newTokens(c, cfg)
	c.groupLists.off, c.groups.off = !cfg.Snapshot, !cfg.Snapshot
	c.modelLists.off, c.models.off = !cfg.Snapshot, !cfg.Snapshot
	return c
}
