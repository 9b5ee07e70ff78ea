package settings

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// addClientCertificate resolves the certificate for a server that asks for one. Both arguments belong together.
func (r *resolver) addClientCertificate() {
	var chain bundle
	var key []byte
	hasChain := take(r, ClientCertificate, parseChain, &chain)
	hasKey := take(r, ClientKey, parseKey, &key)
	switch {
	case hasChain && !hasKey:
		r.addMissingBeside(ClientCertificate, ClientKey)
	case hasKey && !hasChain:
		r.addMissingBeside(ClientKey, ClientCertificate)
	case chain.text != nil && key != nil:
		pair, err := tls.X509KeyPair(chain.text, key)
		if err != nil {
			r.addInvalid(ClientKey, "The key cannot be used with the first certificate in "+ClientCertificate+": "+
				err.Error())
		}
		r.Client.ClientCertificate = pair
		r.warnOfDates(chain.certificates[0])
	}
}

// addMissingBeside adds that an argument is absent beside a given one, unless the latter may turn out to be null.
func (r *resolver) addMissingBeside(given, absent string) {
	if !r.block[given].IsUnknown {
		r.addMissing(absent, given+" is given, and needs "+absent+" beside it.")
	}
}

// warnOfDates warns of a client's certificate outside its dates: some servers only close the connection.
func (r *resolver) warnOfDates(own *x509.Certificate) {
	now := time.Now()
	if now.After(own.NotBefore) && now.Before(own.NotAfter) {
		return
	}
	r.add(Warning, explain.SummaryNotValidNow,
		fmt.Sprintf("The certificate in %s is valid from %s until %s; this machine's clock says %s. A server that "+
			"asks for it will refuse it.", ClientCertificate, explain.InUTC(own.NotBefore),
			explain.InUTC(own.NotAfter), explain.InUTC(now)), ClientCertificate)
}

// addAuthorities resolves the certificates to trust beside the system's own.
func (r *resolver) addAuthorities() {
	var found bundle
	take(r, CACertificate, parseBundle, &found)
	r.Client.CACertificates = found.certificates
	if len(found.certificates) > 0 && len(found.leftOut) > 0 {
		r.add(Warning, explain.SummaryCertificateLeftOut, "These certificates in "+CACertificate+" are not trusted, "+
			"and the others are:\n"+explain.JoinFirst(found.leftOut, "\n"), CACertificate)
	}
}
