package provider

import (
	"crypto/x509"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// gateway is the arguments of the provider block for a gateway in front of the service.
type gateway struct {
	Headers              types.Map    `tfsdk:"headers"`
	ClientCertificatePEM types.String `tfsdk:"client_certificate_pem"`
	ClientKeyPEM         types.String `tfsdk:"client_key_pem"`
}

// addHeaders resolves the headers of every request. A map without elements counts as absent.
func (g gateway) addHeaders(r *resolver) {
	elements := g.Headers.Elements()
	if len(elements) == 0 {
		r.client.Headers, _ = argument(argHeaders, g.Headers, setting.ParseHeaders).resolve(r)
		return
	}
	r.origins[argHeaders] = explain.Origin{Block: true, Over: r.env.VariablesFor(argHeaders)}
	r.client.Headers = map[string]string{}
	spellings := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		value, _ := elements[name].(types.String)
		if value.IsUnknown() && !slices.Contains(r.unknown, argHeaders) {
			r.unknown = append(r.unknown, argHeaders)
		}
		r.addHeader(name, value, spellings[strings.ToLower(name)])
		spellings[strings.ToLower(name)] = name
	}
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
	if problem != "" {
		r.problems = append(r.problems, configProblem{
			argument: argHeaders,
			key:      name,
			missing:  setting.IsBlank(text) && setting.HeaderMistake(name, "given") == "",
			summary:  explain.SummaryInvalid(argHeaders),
			detail:   explain.Sentence("The header " + problem),
		})
	}
	r.client.Headers[name] = text
}

// addClientCertificate resolves the certificate that is presented to a server which asks for one. Both arguments belong
// together.
func (g gateway) addClientCertificate(r *resolver) {
	chain, hasChain := argument(argClientCertificate, g.ClientCertificatePEM, setting.ParseChain).resolve(r)
	key, hasKey := argument(argClientKey, g.ClientKeyPEM, setting.ParseKey).resolve(r)
	switch {
	case hasChain && !hasKey && !g.ClientCertificatePEM.IsUnknown(): // which may turn out to be null
		r.addMissingBeside(argClientCertificate, argClientKey)
	case hasKey && !hasChain && !g.ClientKeyPEM.IsUnknown():
		r.addMissingBeside(argClientKey, argClientCertificate)
	case len(chain) > 0 && key != nil:
		var err error
		if r.client.ClientCertificate, err = setting.Pair(chain, key); err != nil {
			r.addInvalid(argClientKey, "The key cannot be used: "+err.Error())
		}
		r.warnOfDates(chain[0])
	}
}

// addMissingBeside adds that an argument is absent which another one needs.
func (r *resolver) addMissingBeside(given, absent string) {
	need := fmt.Sprintf("%s is given, and needs %s beside it. %s", given, absent, howToGive(absent))
	r.addMissing(absent, need, r.env.EmptyHint(absent))
}

// warnOfDates warns of a client's certificate that is not valid now: some servers only close the connection.
func (r *resolver) warnOfDates(own *x509.Certificate) {
	now := time.Now()
	if now.After(own.NotBefore) && now.Before(own.NotAfter) {
		return
	}
	r.warnings = append(r.warnings, configProblem{
		argument: argClientCertificate,
		summary:  explain.SummaryNotValidNow,
		detail: fmt.Sprintf("The certificate in %s is valid from %s until %s; this machine's clock says %s. A server "+
			"that asks for it will refuse it.", argClientCertificate, explain.InUTC(own.NotBefore),
			explain.InUTC(own.NotAfter), explain.InUTC(now)),
	})
}

// addAuthorities resolves the certificates that are trusted beside the system's own.
func (c configuration) addAuthorities(r *resolver) {
	bundle, _ := argument(argCACertificate, c.CACertificatePEM, setting.ParseBundle).resolve(r)
	r.client.CACertificates = bundle.Certificates
	if len(bundle.Certificates) > 0 && len(bundle.LeftOut) > 0 {
		r.warnings = append(r.warnings, configProblem{
			argument: argCACertificate,
			summary:  explain.SummaryCertificateLeftOut,
			detail: "These certificates are not trusted, and the others are:\n" +
				explain.JoinFirst(bundle.LeftOut, "\n"),
		})
	}
}

// findAddress finds out whether the provider block names a different address than the environment. The credentials of
// the environment belong to its own: an alias whose variables were null would send one organisation's secret to
// another's host.
func (r *resolver) findAddress() {
	if base := r.client.BaseURL; base != nil && r.origins[argBaseURL].Block {
		r.ownAddress, r.elsewhere = r.env.OtherAddress(base)
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
	if r.ownAddress != "" {
		own = ", which is " + r.ownAddress
	}
	r.problems = append(r.problems, configProblem{
		argument: argBaseURL,
		summary:  explain.SummaryOtherAddress,
		detail: fmt.Sprintf("The provider block sets base_url to %s, and does not give %s. The environment has %s, "+
			"for the address in %s%s. The provider never sends a credential of the environment to a different "+
			"address.\n\nGive %s in this provider block, or unset what is not meant for it.",
			r.client.BaseURL, withheld, explain.Enumerated(variables), setting.Variable(argBaseURL), own, withheld),
	})
}
