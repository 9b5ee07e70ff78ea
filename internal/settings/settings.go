// Package settings turns the provider's arguments and its environment into the configuration of a client, for the
// provider and for the sandbox's `record`. Begin with [Resolve]: a value of the provider block wins over a variable or
// the file it names, and those win over a default. The package does not know the plugin framework, and no problem shows
// anything secret.
package settings

import (
	"slices"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// Block is the values of a provider block, by argument. It is nil for a program without one.
type Block map[string]Value

// Value is a value of a block. The zero Value is null.
type Value struct {
	Text      string           // as a variable would spell it
	Elements  map[string]Value // of a map
	IsSet     bool
	IsUnknown bool // a plan does not know it yet
}

// Resolved is a resolved configuration.
type Resolved struct {
	Client   catalogue.Config
	Problems []Problem
	Unknown  []string                  // the arguments whose values a plan does not know yet
	Origins  map[string]explain.Origin // of the arguments with a value
	Shown    map[string]string         // what may be shown of them
	// Withheld are unused variables: they belong to the environment's own address.
	Withheld []string

	credentials  []explain.Credential
	proxyLeftOut string // see explain.Explainer
}

// Problem is an error or a warning about an argument or the environment.
type Problem struct {
	Kind    Kind
	Path    []string // the argument, and the key in a map; empty if the problem is not about an argument
	Summary string
	Detail  string
}

// Kind is the kind of a problem.
type Kind int

// The kinds of problems.
const (
	Invalid Kind = iota
	Absent       // and required
	Warning
)

// Resolve resolves a block over the environment and over the defaults, and lists every problem. It sends nothing.
func Resolve(block Block, env Environment) Resolved {
	r := resolver{block: block, env: env}
	r.Origins, r.Shown = map[string]explain.Origin{}, map[string]string{}
	r.addAddress()
	r.addCredentials()
	r.addHeaders()
	r.addClientCertificate()
	r.addAuthorities()
	take(&r, RequestTimeout, parseDuration, &r.Client.RequestTimeout)
	take(&r, ReadTimeout, parseDuration, &r.Client.ReadTimeout)
	take(&r, MaxRetries, parseRetries, &r.Client.MaxRetries)
	take(&r, MaxRequests, parseLimit, &r.Client.Ceiling)
	take(&r, Snapshot, parseSwitch, &r.Client.Snapshot)
	r.addProxy()
	r.warnOfUnread()
	return r.Resolved
}

// Mistakes returns the invalid values, without absent ones and warnings: `validate` runs without credentials.
func (s Resolved) Mistakes() []Problem {
	return slices.DeleteFunc(s.Problems, func(p Problem) bool { return p.Kind != Invalid })
}

// Explainer returns the Explainer of a process with this configuration.
func (s Resolved) Explainer() *explain.Explainer {
	e := &explain.Explainer{
		Credentials:    s.credentials,
		Proxy:          s.Client.Proxy,
		ProxyLeftOut:   s.proxyLeftOut,
		MaxRequests:    s.Shown[MaxRequests],
		ReadTimeout:    s.Shown[ReadTimeout],
		RequestTimeout: s.Shown[RequestTimeout],
		Gateway:        s.gateway(),
	}
	for _, certificate := range s.Client.CACertificates {
		e.Authorities = append(e.Authorities, catalogue.NameOf(certificate.Subject))
	}
	return e
}
