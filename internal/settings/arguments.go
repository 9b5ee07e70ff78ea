package settings

import (
	"slices"
	"strings"
)

// The provider's arguments.
const (
	BaseURL           = "base_url"
	ClientID          = "client_id"
	ClientSecret      = "client_secret"
	AccessToken       = "access_token"
	Headers           = "headers"
	ClientCertificate = "client_certificate_pem"
	ClientKey         = "client_key_pem"
	CACertificate     = "ca_certificate_pem"
	RequestTimeout    = "request_timeout"
	ReadTimeout       = "read_timeout"
	MaxRetries        = "max_retries"
	MaxRequests       = "max_requests"
	Snapshot          = "snapshot"
)

// Arguments are all of them, in the order in which messages name them.
var Arguments = []string{
	BaseURL, ClientID, ClientSecret, AccessToken, Headers, ClientCertificate, ClientKey, CACertificate,
	RequestTimeout, ReadTimeout, MaxRetries, MaxRequests, Snapshot,
}

// Defaults are the values of arguments that are not given.
var Defaults = map[string]string{
	RequestTimeout: "30s",
	ReadTimeout:    "5m",
	MaxRetries:     "4",
	Snapshot:       "true",
}

// Arguments that prove to the service, or to a gateway in front of it, whose request it is. Those for gateways are
// optional.
var (
	ofService = []string{ClientID, ClientSecret, AccessToken}
	ofGateway = []string{Headers, ClientCertificate, ClientKey}
)

// isCredential reports whether an argument is meant for one address only.
func isCredential(argument string) bool {
	return slices.Contains(ofService, argument) || slices.Contains(ofGateway, argument)
}

// Prefix begins the names of variables, and fileSuffix ends those that name a file.
const (
	Prefix     = "MODELCATALOGUE_"
	fileSuffix = "_FILE"
)

// Variable names the environment variable that stands in for an argument.
func Variable(argument string) string { return Prefix + strings.ToUpper(argument) }

// FileVariable names the environment variable that names a file with the value of an argument. It is empty for an
// argument without one.
func FileVariable(argument string) string {
	if argument == CACertificate || isCredential(argument) {
		return Variable(argument) + fileSuffix
	}
	return ""
}
