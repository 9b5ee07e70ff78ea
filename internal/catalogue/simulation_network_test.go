package catalogue_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

type dialFunc = sandboxtest.DialFunc

// listen serves the simulated service with net/http over connections in memory,
// by HTTP/2 over TLS or by HTTP/1.1 without.
func (s *simService) listen(way simWay) (dial dialFunc, url string, authorities []*x509.Certificate, closeAll func()) {
	if way == overHTTP1 {
		dial, closeAll = pipe(s)
		return dial, "http://localhost", nil, closeAll
	}
	certificate, authority := simCertificate()
	dial, closeAll = sandboxtest.PipeTLS(s, certificate)
	return dial, "https://localhost", []*x509.Certificate{authority}, closeAll
}

// ServeHTTP is the service at the end of a connection.
func (s *simService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	x := s.arrive(r.Context(), 0, r.Method, r.URL.RequestURI(), r.Header)
	if s.closes(x, r) {
		hijacked, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		s.end(x, errReset)
		_ = hijacked.Close()
		return
	}
	reply, err := s.answer(r.Context(), x, body)
	if err != nil {
		s.end(x, err)
		abort(w)
	}
	maps.Copy(w.Header(), reply.header)
	if w.Header().Set("Date", s.clock().Format(http.TimeFormat)); reply.undated {
		w.Header()["Date"] = nil
	}
	if !reply.cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(reply.body)))
	}
	s.header(x, reply)
	w.WriteHeader(reply.status)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	if err := elapse(r.Context(), reply.stall); err != nil {
		s.end(x, err)
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(reply.body)
	_ = flush.Flush()
	s.mu.Lock()
	x.delivered, x.cut = true, reply.cut || reply.halved
	s.mu.Unlock()
	s.end(x, nil)
	if reply.cut {
		panic(http.ErrAbortHandler)
	}
}

// closes tells whether the connection of a request, which was kept from another
// one, is closed before the first byte of an answer.
func (s *simService) closes(x *simRequest, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]bool{}
	}
	kept := s.kept[r.RemoteAddr]
	s.kept[r.RemoteAddr] = true
	if r.ProtoMajor != 1 || !kept || s.plan.dice.roll("closing", x.number).Float64() >= s.plan.service.closing {
		return false
	}
	x.closed, x.fault, x.arrivedAt = true, "closed", s.now()
	return true
}

// abort breaks a connection after a part of a header: net/http sends a request
// again where a connection that it used before ends without a byte.
func abort(w http.ResponseWriter) {
	if hijacker, ok := w.(http.Hijacker); ok {
		if conn, _, err := hijacker.Hijack(); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 2")
			_ = conn.Close()
			// Nothing must be written after that.
		}
	}
	panic(http.ErrAbortHandler)
}

// simCertificate is made once, for localhost and for the fake clock's years.
var simCertificate = sync.OnceValues(func() (tls.Certificate, *x509.Certificate) {
	return sandboxtest.Certify(&x509.Certificate{
		DNSNames:  []string{"localhost"},
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
	}, "")
})
