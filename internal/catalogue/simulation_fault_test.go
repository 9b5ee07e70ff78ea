package catalogue_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// distort changes the way of an answer: it comes late, or not whole.
func (s *simService) distort(x *simRequest, fault string, reply *simReply) *simReply {
	r := s.plan.dice.roll("distort "+x.path, x.reader, s.attempts[x.key()])
	switch fault {
	case "slow":
		reply.slow = oneOf(r, time.Second, 5*time.Second, 20*time.Second, 45*time.Second)
	case "stall":
		reply.stall = oneOf(r, time.Second, 5*time.Second, 20*time.Second, 45*time.Second)
	case "stall 401":
		if x.bearer != nil && reply.status == http.StatusOK {
			x.bearer.revoked = true
			reply = s.refuse(x, http.StatusUnauthorized, "UNAUTHORIZED")
		}
		reply.stall = oneOf(r, time.Second, 20*time.Second, 45*time.Second)
	case "cut length":
		reply.body, reply.cut = reply.body[:r.IntN(len(reply.body))], true
	case "cut json":
		// An empty body, too, is one that was cut short.
		reply.body, reply.halved = reply.body[:1+r.IntN(len(reply.body)-1)], true
	}
	return reply
}

// apply is the answer to a request that is made to fail.
func (s *simService) apply(x *simRequest, fault string) *simReply {
	kind, way, _ := strings.Cut(fault, " ")
	status, _ := strconv.Atoi(kind)
	codes := map[int]string{
		408: "REQUEST_TIMEOUT", 500: "INTERNAL_ERROR", 502: "BAD_GATEWAY", 503: "OVERLOADED", 403: "FORBIDDEN",
		404: "NOT_FOUND", 400: "VALIDATION_FAILED", 409: "CONFLICT", 418: "TEAPOT",
	}
	page := func(status int, body string) *simReply {
		reply := &simReply{status: status, header: s.headers(x), body: []byte(body)}
		reply.header.Set("Content-Type", "text/html")
		return reply
	}
	r := s.plan.dice.roll("apply "+x.path, x.reader, s.attempts[x.key()])
	switch {
	case kind == "hang":
		return &simReply{hang: true}
	case kind == "reset":
		return &simReply{reset: true}
	case kind == "429":
		return s.limit(x, between(r, time.Millisecond, oneOf(r, time.Second, 5*time.Second, time.Minute)), way)
	case fault == "stall 429":
		reply := s.limit(x, between(r, time.Second, 20*time.Second), "seconds")
		reply.stall = between(r, time.Second, time.Minute)
		return reply
	case fault == "stall 500":
		reply := s.refuse(x, http.StatusInternalServerError, "INTERNAL_ERROR")
		reply.stall = between(r, time.Second, time.Minute)
		return reply
	case fault == "401", fault == "401 always":
		return s.refuseToken(x)
	case fault == "401 stray":
		// One instance of several does not know the token.
		return s.refuse(x, http.StatusUnauthorized, "UNAUTHORIZED")
	case fault == "502 temporarily":
		return s.refuse(x, http.StatusBadGateway, "temporarily_unavailable")
	case fault == "404 temporarily":
		return s.refuse(x, http.StatusNotFound, "temporarily_unavailable")
	case fault == "403 disabled":
		return s.refuse(x, http.StatusForbidden, "ORGANISATION_DISABLED")
	case fault == "503 Retry-After":
		reply := s.refuse(x, http.StatusServiceUnavailable, "OVERLOADED")
		reply.header.Set("Retry-After", "1")
		return reply
	case fault == "500 html":
		return page(500, "<html><title>Oops "+s.echo(x)+"</title></html>")
	case fault == "500 empty":
		return page(500, "")
	case fault == "html":
		return page(200, "<html><title>Please log in "+s.echo(x)+"</title></html>")
	case fault == "shape", fault == "no token":
		return &simReply{status: 200, header: s.headers(x), body: []byte(`{"items":[],"note":"` + "this is another service" + `"}`)}
	case fault == "mac":
		return &simReply{status: 200, header: s.headers(x), body: []byte(`{"access_token":"x` + s.tokenPart + `","token_type":"mac"}`)}
	case fault == "invalid_client":
		return s.refuse(x, http.StatusUnauthorized, "invalid_client")
	case fault == "invalid_request":
		return s.refuse(x, http.StatusBadRequest, "invalid_request")
	case strings.HasSuffix(fault, "redirect"):
		reply := page(http.StatusFound, "")
		reply.header.Set("Location", "https://login.example.com/?from="+s.echo(x))
		if kind == "bad" {
			reply.header.Set("Location", "http://[::1")
		}
		return reply
	case codes[status] != "":
		return s.refuse(x, status, codes[status])
	}
	panic(fmt.Sprintf("no fault %q", fault))
}

// refuseToken refuses a token that was good. The service goes on refusing it.
func (s *simService) refuseToken(x *simRequest) *simReply {
	if x.bearer != nil {
		x.bearer.revoked = true
	}
	return s.refuse(x, http.StatusUnauthorized, "UNAUTHORIZED")
}
