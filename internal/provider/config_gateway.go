package provider

import (
	"crypto"
	"crypto/x509"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// addAddress resolves the service's address, and finds out whether the provider block names a different one than the
// environment. The credentials of the environment belong to its own: an alias whose variables were null would send one
// organisation's secret to another's host.
func (r *resolver) addAddress() {
	if !take(r, argBaseURL, setting.ParseBaseURL, &r.client.BaseURL) {
		r.addMissing(argBaseURL, "")
	}
	if base := r.client.BaseURL; base != nil && r.origins[argBaseURL].Block {
		_, r.elsewhere = r.env.OtherAddress(base)
	}
}

// addHeaders resolves the headers of every request. A map without elements counts as absent.
func (r *resolver) addHeaders() {
	block, _ := r.block[argHeaders].(types.Map)
	elements := block.Elements()
	spellings := map[string]string{}
	if len(elements) == 0 {
		take(r, argHeaders, setting.ParseHeaders, &r.client.Headers)
	} else {
		r.addOrigin(argHeaders, "", explain.Origin{Block: true, Over: r.env.VariablesFor(argHeaders)})
		r.client.Headers = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		value, _ := elements[name].(types.String)
		if value.IsUnknown() && !slices.Contains(r.unknown, argHeaders) {
			r.unknown = append(r.unknown, argHeaders)
		}
		r.addHeader(name, value, spellings[strings.ToLower(name)])
		spellings[strings.ToLower(name)] = name
	}
	r.shown[argHeaders] = explain.Enumerated(slices.Sorted(maps.Keys(r.client.Headers)))
}

// addHeader adds one header of the provider block. same is another spelling of its name that comes before, or "".
func (r *resolver) addHeader(name string, value types.String, same string) {
	text := value.ValueString()
	if value.IsUnknown() {
		text = "unknown" // only the name can be checked
	}
	problem := setting.HeaderMistake(name, text)
	if problem == "" && same != "" {
		problem = fmt.Sprintf("has the same name as %q: the case of letters does not count in HTTP", same)
	}
	diags := &r.problems
	if setting.IsBlank(text) && setting.HeaderMistake(name, "given") == "" {
		diags = &r.missing
	}
	if problem != "" {
		diags.AddAttributeError(path.Root(argHeaders).AtMapKey(name), explain.SummaryInvalid(argHeaders),
			explain.Sentence("The header "+problem))
	}
	r.client.Headers[name] = text
}

// addClientCertificate resolves the certificate that is presented to a server which asks for one. Both arguments
// belong together.
func (r *resolver) addClientCertificate() {
	var chain []*x509.Certificate
	var key crypto.Signer
	hasChain := take(r, argClientCertificate, setting.ParseChain, &chain)
	hasKey := take(r, argClientKey, setting.ParseKey, &key)
	switch {
	case hasChain && !hasKey:
		r.addMissingBeside(argClientCertificate, argClientKey)
	case hasKey && !hasChain:
		r.addMissingBeside(argClientKey, argClientCertificate)
	case len(chain) > 0 && key != nil:
		var err error
		if r.client.ClientCertificate, err = setting.Pair(chain, key); err != nil {
			r.addInvalid(argClientKey, "The key cannot be used: "+err.Error())
		}
		r.warnOfDates(chain[0])
	}
}

// addMissingBeside adds that an argument is absent which another one needs, unless that may turn out to be null.
func (r *resolver) addMissingBeside(given, absent string) {
	if !r.block[given].IsUnknown() {
		r.addMissing(absent, given+" is given, and needs "+absent+" beside it.")
	}
}

// warnOfDates warns of a client's certificate that is not valid now: some servers only close the connection.
func (r *resolver) warnOfDates(own *x509.Certificate) {
	now := time.Now()
	if now.After(own.NotBefore) && now.Before(own.NotAfter) {
		return
	}
	r.problems.AddAttributeWarning(path.Root(argClientCertificate), explain.SummaryNotValidNow,
		fmt.Sprintf("The certificate in %s is valid from %s until %s; this machine's clock says %s. A server that "+
			"asks for it will refuse it.", argClientCertificate, explain.InUTC(own.NotBefore),
			explain.InUTC(own.NotAfter), explain.InUTC(now)))
}

// addAuthorities resolves the certificates that are trusted beside the system's own.
func (r *resolver) addAuthorities() {
	var bundle setting.Bundle
	take(r, argCACertificate, setting.ParseBundle, &bundle)
	r.client.CACertificates = bundle.Certificates
	if len(bundle.Certificates) > 0 && len(bundle.LeftOut) > 0 {
		r.problems.AddAttributeWarning(path.Root(argCACertificate), explain.SummaryCertificateLeftOut,
			"These certificates are not trusted, and the others are:\n"+explain.JoinFirst(bundle.LeftOut, "\n"))
	}
}

// addProxy finds the proxy for the service.
func (r *resolver) addProxy() {
	var err error
	r.client.Proxy, r.proxyLeftOut, err = r.env.Proxy(r.client.BaseURL)
	if err != nil {
		r.problems.AddError(explain.SummaryInvalidProxy, err.Error())
	}
}

// withholds reports whether the environment has a credential that belongs to a different address, and notes it.
func (r *resolver) withholds(argument string) bool {
	if !r.elsewhere || !setting.IsCredential(argument) || !r.env.Has(argument) {
		return false
	}
	r.withheld = append(r.withheld, argument)
	return true
}

// reportWithheld reports the credentials that the environment has for a different address.
func (r *resolver) reportWithheld() {
	if len(r.withheld) == 0 {
		return
	}
	var variables []string
	for _, argument := range r.withheld {
		variables = append(variables, r.env.VariablesFor(argument)...)
	}
	own, withheld := "", explain.Enumerated(r.withheld)
	if address, _ := r.env.OtherAddress(r.client.BaseURL); address != "" {
		own = ", which is " + address
	}
	r.problems.AddAttributeError(path.Root(argBaseURL), explain.SummaryOtherAddress,
		fmt.Sprintf("The provider block sets base_url to %s, and does not give %s. The environment has %s, for the "+
			"address in %s%s. The provider never sends a credential of the environment to a different "+
			"address.\n\nGive %s in this provider block, or unset what is not meant for it.", r.client.BaseURL,
			withheld, explain.Enumerated(variables), setting.Variable(argBaseURL), own, withheld))
}
