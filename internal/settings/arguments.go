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

// Defaults are the values of absent arguments.
var Defaults = map[string]string{
	RequestTimeout: "30s",
	ReadTimeout:    "5m",
	MaxRetries:     "4",
	Snapshot:       "true",
}

// Credentials for the service, and optional ones for a gateway in front of it.
var (
	ofService = []string{ClientID, ClientSecret, AccessToken}
	ofGateway = []string{Headers, ClientCertificate, ClientKey}
)

// isCredential reports whether an argument is meant for one address only.
func isCredential(argument string) bool {
	return slices.Contains(ofService, argument) || slices.Contains(ofGateway, argument)
}

// Prefix begins the names of variables, and fileSuffix ends those for files.
const (
	Prefix     = "MODELCATALOGUE_"
	fileSuffix = "_FILE"
)

// Variable returns the environment variable of an argument.
func Variable(argument string) string { return Prefix + strings.ToUpper(argument) }

// FileVariable returns the environment variable for the name of a file with the value of an argument. It is empty for
// an argument without one.
func FileVariable(argument string) string {
	if argument == CACertificate || isCredential(argument) {
		return Variable(argument) + fileSuffix
	}
	return ""
}
