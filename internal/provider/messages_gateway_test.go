package provider

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// gatewayScenes returns scenes of headers, of client certificates, and of credentials for a different address.
func gatewayScenes() []scene {
	address := arguments{argBaseURL: "https://catalogue.example"}
	pair := northwind("https://catalogue.example")
	return []scene{
		configured("headers that cannot be sent", arguments{argHeaders: map[string]any{
			"Authorization": "Bearer hunter2", "content-type": "hunter2", "X-Key: ": "hunter2", "X-Token": "hunter2\n",
			"X-Secret": "hunter\u200b2", "X-ID": "hunter2", "x-id": "hunter2",
		}}),
		surrounded("a header without a value", pair.with(argHeaders, map[string]any{"X-Key": nil})),
		surrounded("credentials of a different address", address, "MODELCATALOGUE_BASE_URL=https://own.example/eu",
			"MODELCATALOGUE_CLIENT_ID=i", "MODELCATALOGUE_CLIENT_SECRET_FILE=/run/secrets/s", "MODELCATALOGUE_HEADERS=X-Key: k"),
		certifiedScene("a certificate and a key in each other's place", func(certificate, key string) arguments {
			return arguments{argClientCertificate: key, argClientKey: certificate}
		}),
		certifiedScene("a certificate without its key", func(certificate, _ string) arguments {
			return arguments{argClientCertificate: certificate}
		}),
		certifiedScene("an archive in place of a key", func(certificate, _ string) arguments {
			archive := base64.StdEncoding.EncodeToString([]byte("\x30\x82\x01\x00\x02\x01\x03\x30\x82"))
			return arguments{argClientCertificate: certificate, argClientKey: archive}
		}),
		certifiedScene("a key of a different certificate", func(certificate, _ string) arguments {
			_, key := outdated()
			return arguments{argClientCertificate: certificate, argClientKey: key}
		}),
		certifiedScene("a certificate of a client that has expired", func(certificate, key string) arguments {
			return arguments{argClientCertificate: certificate, argClientKey: key}
		}),
		certifiedScene("a bundle with a certificate that is broken", func(certificate, _ string) arguments {
			return arguments{argCACertificate: certificate + pemOf("CERTIFICATE", []byte("none")) + certificate}
		}),
		behindTLS("a certificate of the client that a gateway misses", tls.RequestClientCert, false, nil),
		behindTLS("a certificate of the client that a gateway does not accept", tls.RequestClientCert, true, nil),
		behindTLS("a certificate of the client that a gateway does not ask for", tls.NoClientCert, true, nil),
		behindTLS("a key and a certificate that a gateway does not accept", tls.RequestClientCert, true, map[string]any{"X-Key": "a"}),
		{title: "a certificate of the client refused", play: func(t *testing.T) []*tfprotov6.Diagnostic {
			served, authority := overTLS(t, http.NotFoundHandler(), &tls.Config{
				ClientAuth: tls.RequireAndVerifyClientCert,
				ClientCAs:  x509.NewCertPool(),
				MaxVersion: tls.VersionTLS12,
			})
			_, certificate, key := clientPair(t, "Other")
			return readOnce(t, northwind(served.URL).merge(arguments{
				argCACertificate: authority, argClientCertificate: certificate, argClientKey: key,
			}))
		}},
	}
}

// behindTLS returns a scene of a gateway with a refusal in its own words. ask is its demand for a client certificate,
// isGiven whether the provider has one.
func behindTLS(title string, ask tls.ClientAuthType, isGiven bool, headers map[string]any) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		refuse := answering(400, "text/html", "<title>400 No required SSL certificate was sent</title>")
		served, authority := overTLS(t, refuse, &tls.Config{ClientAuth: ask})
		config := northwind(served.URL).merge(arguments{argCACertificate: authority, argHeaders: headers})
		if isGiven {
			_, config[argClientCertificate], config[argClientKey] = clientPair(t, "")
		}
		return readOnce(t, config)
	}}
}

// outdated returns an expired client certificate and its key, in PEM form.
func outdated() (certificate, key string) {
	pair, _ := sandboxtest.Certify(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "client"},
		NotBefore: time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(2024, 5, 1, 12, 30, 0, 0, time.UTC),
	}, "")
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		panic(err)
	}
	return pemOf("CERTIFICATE", pair.Certificate[0]), pemOf("PRIVATE KEY", der)
}

// certifiedScene returns a scene of configuring the provider with an outdated certificate, or its key, in some places.
func certifiedScene(title string, given func(certificate, key string) arguments) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		return surrounded("", northwind("https://catalogue.example").merge(given(outdated()))).play(t)
	}}
}
