package catalogue_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// simRequest is what the service of a simulation knows of a request, for the checks.
type simRequest struct {
	with   *simToken
	fault  string // or ""
	code   string // of the error
	answer string // the name of the record of a 200
	issued *simToken
	cut    bool // the body is a part of the answer

	retryAfter time.Duration // the wait after the header of a 429 or 503, if it names one
	retryAt    time.Duration // or its end
}

// simToken is what the service knows of a token.
type simToken struct {
	number    int
	requested time.Duration // when the request for it was sent
	issued    time.Duration
	known     time.Duration // when the client had it, or never
	ends      time.Duration // 0: it serves for ever
	stated    time.Duration // its life in the answer, or 0
	revoked   bool
}

// simService is the service of a simulation.
type simService struct {
	service
	plan     *simPlan
	counter  simCounter
	attempts map[string]int // by path
	hits     map[string]int // faults of each
	issued   map[string]*simToken
}

func newSimService(plan *simPlan) *simService {
	s := &simService{
		plan:     plan,
		counter:  simCounter{simAllowance: plan.service.allowance},
		attempts: map[string]int{},
		hits:     map[string]int{},
		issued:   map[string]*simToken{},
	}
	s.service = service{began: time.Now(), takes: s.takes, answer: s.decide}
	return s
}

// maxSimRequests is more than any plan needs. It stops a client in an endless loop.
const maxSimRequests = 5_000

// takes returns the time of each way of a request. No two are quite the same, so that a replay takes the same turns.
func (s *simService) takes(x *request) (there, back time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.with = s.issued[x.bearer]
	if x.number >= maxSimRequests {
		return ages, 0 // until the reader has had enough
	}
	r, base := s.roll("latency", x), s.plan.service.latency
	half := func() time.Duration {
		jiggle := time.Duration(r.IntN(1_000_000)) * time.Nanosecond
		if !s.plan.service.heavyTail {
			return between(r, base/10, base) + jiggle
		}
		// One in a hundred takes twenty times as long and more.
		tail := 1 / (1 - r.Float64()*0.9999)
		return min(base/4*time.Duration(tail), 15*sec) + jiggle
	}
	return half(), half()
}

// roll returns the source for the present attempt of one question.
func (s *simService) roll(what string, x *request) *rand.Rand {
	return s.plan.dice.roll(what+x.path, s.attempts[x.path])
}

// decide returns the fate of a request that has arrived.
func (s *simService) decide(x *request) reply {
	s.attempts[x.path]++
	r := s.roll("decide", x)
	plan := &s.plan.service
	now := x.arrivedAt
	if plan.isDown(now) {
		return apply(r, x, plan.outage)
	}
	if !x.token && r.Float64() < plan.strays {
		return apply(r, x, "401 stray").in(plan.strayTakes)
	}
	faults := plan.readFaults
	if x.token {
		faults = plan.tokenFaults
	}
	mayFail := len(faults) > 0 && s.hits[x.path] < plan.faultsEach
	if mayFail && r.Float64() < plan.faultRate {
		s.hits[x.path]++
		return s.meet(r, x, oneOf(r, faults...))
	}
	return s.honest(x)
}

// meet returns the answer to a request that meets a fault.
func (s *simService) meet(r *rand.Rand, x *request, fault string) reply {
	x.fault = fault
	late := oneOf(r, sec, 5*sec, 20*sec, 45*sec)
	switch fault {
	case "401 late":
		return apply(r, x, fault).in(late)
	case "slow":
		return s.honest(x).in(late)
	case "stall":
		answer := s.honest(x)
		answer.stall = late
		return answer
	case "cut length", "cut json":
		answer := s.honest(x)
		if answer.status == 0 { // only a 200 is cut: a message would show the rest of an error
			x.cut, answer.cut = true, fault == "cut length"
			answer.body = answer.body[:1+r.IntN(len(answer.body)-1)]
		}
		return answer
	}
	return apply(r, x, fault)
}

// simReplies are answers other than documents of the service, by fault.
var simReplies = map[string]reply{
	"hang":             {after: ages},
	"reset":            {err: errDropped},
	faultNoHost:        {err: errNoHost},
	faultNobodyListens: {err: errNobodyListens},
	"500 html":         {status: 500, body: "<html><title>Oops</title></html>"},
	"html":             {status: 200, body: "<html><title>Please log in</title></html>"},
	"no token":         {status: 200, body: `{"items":[],"note":"this is another service"}`},
	"redirect":         {status: 302},
}

// simCodes are codes of answers, by fault.
var simCodes = map[string]string{
	"400":             "VALIDATION_FAILED",
	"400 invalid":     "invalid_request",
	"401":             "UNAUTHORIZED",
	"401 invalid":     "invalid_client",
	"401 late":        "UNAUTHORIZED",
	"401 stray":       "UNAUTHORIZED",
	"403 disabled":    "ORGANISATION_DISABLED",
	"404 temporarily": "temporarily_unavailable",
	"500":             "INTERNAL_ERROR",
	"502 temporarily": "temporarily_unavailable",
}

// apply returns the answer to a request that fails by a fault.
func apply(r *rand.Rand, x *request, fault string) reply {
	x.fault = fault
	if answer, ok := simReplies[fault]; ok {
		answer.header = headersOf(x)
		answer.header.Set("Content-Type", "text/html")
		return answer
	}
	if fault == "401" && x.with != nil {
		x.with.revoked = true // the service goes on rejecting it
	}
	kind, way, _ := strings.Cut(fault, " ")
	status, _ := strconv.Atoi(kind)
	answer := refuse(x, status, simCodes[fault])
	if status == http.StatusTooManyRequests || way == "seconds" {
		answer = retryLater(x, status, between(r, time.Millisecond, oneOf(r, sec, 5*sec, time.Minute)), way)
	}
	if way == "stall" {
		answer.stall = between(r, sec, time.Minute)
	}
	return answer
}

// retryLater returns an answer with a wait, in one of the forms that services use.
func retryLater(x *request, status int, wait time.Duration, way string) reply {
	answer := refuse(x, status, "RATE_LIMITED")
	set := func(value string) {
		answer.header.Set("Retry-After", value)
	}
	switch way {
	case "seconds", "stall":
		x.retryAfter = (wait + sec - 1).Truncate(sec)
		set(strconv.Itoa(int(x.retryAfter.Seconds())))
	case "fraction":
		x.retryAfter = (wait + time.Millisecond - 1).Truncate(time.Millisecond)
		set(strconv.FormatFloat(x.retryAfter.Seconds(), 'f', 3, 64))
	case "date": // has whole seconds, and is never before the wait is over
		at := time.Now().Add(wait + sec - 1).Truncate(sec)
		x.retryAt = x.arrivedAt + time.Until(at)
		set(at.UTC().Format(http.TimeFormat))
	case "0":
		set(way)
	}
	return answer
}

// honest returns the answer to a request without a fault.
func (s *simService) honest(x *request) reply {
	plan, now := &s.plan.service, x.arrivedAt
	wait := s.counter.admit(now)
	switch {
	case wait > 0:
		return retryLater(x, http.StatusTooManyRequests, wait, plan.retryAfter)
	case x.token:
		return s.issue(x)
	case !s.serves(x.with, now):
		return refuse(x, http.StatusUnauthorized, "UNAUTHORIZED")
	case plan.disabledFrom > 0 && now >= plan.disabledFrom:
		return refuse(x, http.StatusForbidden, "ORGANISATION_DISABLED")
	}
	x.answer = fmt.Sprint("answer ", x.number)
	return reply{header: headersOf(x), body: simDocument(x.path, x.answer)}
}

// serves reports whether the service accepts a token at a moment.
func (s *simService) serves(t *simToken, now time.Duration) bool {
	if t == nil || t.revoked || t.ends > 0 && now >= t.ends {
		return false
	}
	return !slices.ContainsFunc(s.plan.service.revocations, func(at time.Duration) bool {
		return at >= t.issued && at <= now
	})
}

// issue returns the answer of the token endpoint.
func (s *simService) issue(x *request) reply {
	plan := &s.plan.service
	if plan.wrongSecret {
		return refuse(x, http.StatusUnauthorized, "invalid_client")
	}
	token := &simToken{
		number:    len(s.issued) + 1,
		requested: x.sentAt,
		issued:    x.arrivedAt,
		known:     never,
	}
	text := fmt.Sprint("token-", token.number)
	s.issued[text], x.issued = token, token
	stated := ""
	if plan.tokenLife > 0 {
		token.ends = x.arrivedAt + plan.tokenLife
		if !plan.unstated {
			token.stated = plan.tokenLife.Truncate(sec)
			stated = fmt.Sprintf(`,"expires_in":%d`, int(token.stated.Seconds()))
		}
	}
	body := fmt.Sprintf(`{"access_token":%q,"token_type":"bearer"%s}`, text, stated)
	return reply{header: headersOf(x), body: body}
}

// headersOf returns the headers of an answer.
func headersOf(x *request) http.Header {
	return http.Header{
		"Content-Type": {"application/json"},
		"X-Request-Id": {fmt.Sprint("request-", x.number)},
	}
}

// refuse returns an error in the shape of the endpoint.
func refuse(x *request, status int, code string) reply {
	x.code = code
	field := "code"
	if x.token && status != http.StatusTooManyRequests {
		field = "error"
	}
	return reply{status: status, header: headersOf(x), body: fmt.Sprintf(`{%q:%q}`, field, code)}
}

// simDocument returns a named record of the service, or a list of one. It is a group and a model at once.
func simDocument(path, name string) string {
	parts := strings.Split(path+"//", "/")
	record := fmt.Sprintf(`{"id":%[1]q,"modelGroupId":%[1]q,"name":%[2]q,"revision":1,"latestRevision":1,"models":[]}`,
		cmp.Or(parts[3], "any"), name)
	if parts[3] == "" || parts[4] == "models" {
		return "[" + record + "]"
	}
	return record
}
