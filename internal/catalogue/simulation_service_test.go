package catalogue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// never stands for a moment that has not come.
const never = time.Duration(-1)

// simRequest is one request as the service knows it, for the checks. Times
// count from the beginning of the simulation and are those of the client's end.
type simRequest struct {
	number, process int
	token           bool   // it asks for one
	path            string // of the question
	page            string // the revision that a second page is of, "" for a first page
	bearer          *simToken
	asJSON          bool
	fault           string // what was done to it, "" for nothing
	status          int    // 0 if no header came
	code            string // of the error, or of the token endpoint's
	answer          string // what a 200 says, in the words of simReading.answer
	issued          *simToken

	sentAt, arrivedAt, headerAt, endAt time.Duration

	retryAfter time.Duration // what a 429 or 503 asks to wait from its header on, 0 for nothing
	retryAt    time.Duration // or until when
	timedOut   bool          // request_timeout ended it
	left       bool          // it ended because nobody waited for it any more
	delivered  bool          // the client has all that the service sent
	cut        bool          // which was not all
}

// simToken is a token as the service knows it.
type simToken struct {
	number  int
	text    string
	asked   time.Duration // when the request for it was sent
	known   time.Duration // when the client had it, or never
	ends    time.Duration // 0: it serves for ever
	stated  time.Duration // its life as the answer gives it, 0 if it does not
	revoked bool
}

// simService is the service of a simulation.
type simService struct {
	plan   *simPlan
	began  time.Time
	secret string
	// Each part is in the secret, or in every token, and in nothing else.
	secretPart, tokenPart string

	mu       sync.Mutex
	log      []*simRequest
	counter  simCounter
	attempts map[string]int // by question and process
	hits     map[string]int // faults of each
	tokens   map[string]*simToken
	issued   int
	revoked  int // how many revocations have been
	underWay int
}

func newSimService(plan *simPlan) *simService {
	r := plan.dice.roll("credentials")
	const letters = "ABCDEFGHKLMNPQRSTUVWXYZabcdefghkmnpqrstuvwxyz23456789"
	chunk := func(text string) string {
		for range 10 {
			text += string(letters[r.IntN(len(letters))])
		}
		return text
	}
	s := &simService{
		plan: plan, began: time.Now(), counter: simCounter{simAllowance: plan.service.allowance, window: -1},
		attempts: map[string]int{}, hits: map[string]int{}, tokens: map[string]*simToken{},
	}
	s.secretPart, s.tokenPart = chunk("Sx"), chunk("Tk")
	s.secret = strings.ReplaceAll(oneOf(r, "%s", `s&"/+?é<~> %s`, "%s==", "%s\n"), "%s", s.secretPart)
	return s
}

// mostSimRequests is more than any plan takes. A client that never stops asking
// must not hold everything up.
const mostSimRequests = 5_000

// now is the time since the beginning.
func (s *simService) now() time.Duration { return time.Since(s.began) }

// arrive records a request that the client sends now.
func (s *simService) arrive(process int, method, path string, header http.Header) *simRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, page, _ := strings.Cut(path, "?of=") // the revision of the list whose second page is asked for
	x := &simRequest{
		number: len(s.log), process: process, token: method == http.MethodPost, path: path, page: page,
		asJSON: strings.HasPrefix(header.Get("Content-Type"), "application/json"),
		sentAt: s.now(), arrivedAt: never, headerAt: never, endAt: never,
	}
	if bearer, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer "); ok && !x.token {
		x.bearer = s.tokens[bearer]
	}
	s.log = append(s.log, x)
	s.underWay++
	return x
}

// end records that the client is done with a request.
func (s *simService) end(x *simRequest, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.endAt != never {
		return
	}
	s.underWay--
	x.endAt = s.now()
	if x.delivered {
		err = nil
	}
	if err != nil && x.endAt-x.sentAt == s.plan.requestTimeout {
		x.timedOut = true
	} else if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		x.left = true
	}
	if x.issued != nil && x.delivered && !x.cut {
		x.issued.known = x.endAt
	}
}

// latency is how long each way of a request takes. No two requests take quite the
// same time, so that a replay takes the same turns.
func (s *simService) latency(x *simRequest) (there, back time.Duration) {
	r := s.roll("latency", x)
	base := s.plan.service.latencyBase
	half := func() time.Duration {
		jiggle := time.Duration(r.IntN(1000)) * time.Nanosecond
		switch s.plan.service.latency {
		case "constant":
			return base/2 + jiggle
		case "jitter":
			return between(r, base/10, base) + jiggle
		default: // heavy-tailed: one in a hundred takes twenty times as long and more
			return min(base/4*time.Duration(1/(1-r.Float64()*0.9999)), 15*time.Second) + jiggle
		}
	}
	return half(), half()
}

// key names who asks what, and roll draws for its present attempt.
func (x *simRequest) key() string { return fmt.Sprint(x.process, x.token, x.path) }

func (s *simService) roll(what string, x *simRequest) *rand.Rand {
	return s.plan.dice.roll(what+x.path, x.process, s.attempts[x.key()])
}

// elapse lets time pass, unless the request ends first.
func elapse(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errReset = errors.New("read tcp 192.0.2.1:443: connection reset by peer")

// simLine is the line of one process to the service.
type simLine struct {
	*simService
	process int
}

// RoundTrip carries a request to the service and its answer back.
func (s simLine) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
		_ = request.Body.Close()
	}
	_, target, _ := strings.Cut(request.URL.RequestURI(), "/v1")
	x := s.arrive(s.process, request.Method, "/v1"+target, request.Header)
	reply, err := s.answer(ctx, x, body)
	if err != nil {
		s.end(x, err)
		return nil, err
	}
	s.mu.Lock()
	x.headerAt, x.status = s.now(), reply.status
	s.mu.Unlock()
	length := int64(len(reply.body))
	if reply.cut {
		length *= 2
	}
	return &http.Response{
		StatusCode: reply.status, Header: reply.header, ContentLength: length, Request: request, Body: s.body(ctx, x, reply),
	}, nil
}

// body is the body of an answer, which may come late or not whole.
func (s *simService) body(ctx context.Context, x *simRequest, reply *simReply) io.ReadCloser {
	content, late := bytes.NewReader(reply.body), reply.stall
	read := func(p []byte) (int, error) {
		if err := elapse(ctx, late); err != nil {
			return 0, err
		}
		late = 0
		n, err := content.Read(p)
		if content.Len() == 0 {
			s.mu.Lock()
			x.delivered, x.cut = true, reply.cut || reply.halved
			s.mu.Unlock()
			if err = io.EOF; reply.cut {
				err = io.ErrUnexpectedEOF
			}
		}
		return n, err
	}
	return closing{readerFunc(read), func() { s.end(x, ctx.Err()) }}
}

// closing is a body that does something when it is closed.
type closing struct {
	io.Reader
	atClose func()
}

func (c closing) Close() error { c.atClose(); return nil }

// answer lets a request go its way until the header of its answer is due.
func (s *simService) answer(ctx context.Context, x *simRequest, body []byte) (*simReply, error) {
	s.mu.Lock()
	there, back := s.latency(x)
	if x.number >= mostSimRequests {
		there = 24 * time.Hour // until the reader has had enough
	}
	s.mu.Unlock()
	if err := elapse(ctx, there); err != nil {
		return nil, err
	}
	s.mu.Lock()
	x.arrivedAt = s.now()
	reply := s.decide(x, body)
	s.mu.Unlock()
	if reply.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := elapse(ctx, back+reply.slow); err != nil {
		return nil, err
	}
	if reply.reset {
		return nil, errReset
	}
	return reply, nil
}

// simReply is what the service sends, and how.
type simReply struct {
	hang, reset bool
	status      int
	header      http.Header
	body        []byte
	slow        time.Duration // before the header
	stall       time.Duration // between the header and the body
	cut         bool          // the length promises more than comes
	halved      bool          // the JSON ends in the middle
}

// decide is what becomes of a request that has arrived. It needs s.mu.
func (s *simService) decide(x *simRequest, body []byte) *simReply {
	plan := &s.plan.service
	s.attempts[x.key()]++
	now := x.arrivedAt
	for ; s.revoked < len(plan.revocations) && plan.revocations[s.revoked] <= now; s.revoked++ {
		for _, token := range s.tokens {
			token.revoked = true
		}
	}
	if plan.outage != "" && now >= plan.outageFrom && now < plan.outageTo {
		x.fault = "outage: " + plan.outage
		return s.apply(x, plan.outage)
	}
	if wait := s.counter.admit(now); wait > 0 {
		x.fault = "allowance"
		return s.retryLater(x, http.StatusTooManyRequests, wait, plan.retryAfter)
	}
	if stray := plan.strays; stray > 0 && !x.token && s.plan.dice.roll("stray", x.number).Float64() < stray {
		x.fault = "401 stray"
		return s.apply(x, x.fault)
	}
	if x.fault = s.drawFault(x); x.fault == "" {
		return s.honest(x, body)
	}
	if !slices.Contains([]string{"slow", "stall", "cut length", "cut json"}, x.fault) {
		return s.apply(x, x.fault)
	}
	// These concern the way of the answer, whatever it is.
	r, reply := s.roll("distort", x), s.honest(x, body)
	late := oneOf(r, time.Second, 5*time.Second, 20*time.Second, 45*time.Second)
	switch x.fault {
	case "slow":
		reply.slow = late
	case "stall":
		reply.stall = late
	case "cut length":
		reply.body, reply.cut = reply.body[:r.IntN(len(reply.body))], true
	case "cut json":
		reply.body, reply.halved = reply.body[:1+r.IntN(len(reply.body)-1)], true
	}
	return reply
}

// drawFault draws the fault of this attempt.
func (s *simService) drawFault(x *simRequest) string {
	faults := s.plan.service.readFaults
	if x.token {
		faults = s.plan.service.tokenFaults
	}
	r := s.roll("fault", x)
	if len(faults) == 0 || s.hits[x.key()] >= s.plan.service.faultsEach || r.Float64() >= s.plan.service.faultRate {
		return ""
	}
	s.hits[x.key()]++
	return oneOf(r, faults...)
}

// apply is the answer to a request that is made to fail.
func (s *simService) apply(x *simRequest, fault string) *simReply {
	kind, way, _ := strings.Cut(fault, " ")
	status, _ := strconv.Atoi(kind)
	page := func(status int, body string) *simReply {
		reply := &simReply{status: status, header: s.headers(x), body: []byte(body)}
		reply.header.Set("Content-Type", "text/html")
		return reply
	}
	r := s.roll("apply", x)
	switch fault {
	case "hang":
		return &simReply{hang: true}
	case "reset":
		return &simReply{reset: true}
	case "401", "401 always":
		if x.bearer != nil {
			x.bearer.revoked = true // it goes on refusing it
		}
	case "500 html":
		return page(500, "<html><title>Oops "+s.echo(x)+"</title></html>")
	case "html":
		return page(200, "<html><title>Please log in "+s.echo(x)+"</title></html>")
	case "no token":
		return page(200, `{"items":[],"note":"this is another service"}`)
	case "redirect":
		reply := page(http.StatusFound, "")
		reply.header.Set("Location", "https://login.example.com/?from="+s.echo(x))
		return reply
	}
	reply := s.refuse(x, status, map[string]string{
		"401": "UNAUTHORIZED", "401 always": "UNAUTHORIZED", "401 stray": "UNAUTHORIZED", "400": "VALIDATION_FAILED",
		"403 disabled": "ORGANISATION_DISABLED", "401 invalid": "invalid_client", "400 invalid": "invalid_request",
		"404 temporarily": "temporarily_unavailable", "502 temporarily": "temporarily_unavailable", "500": "INTERNAL_ERROR",
	}[fault])
	if status == http.StatusTooManyRequests || way == "seconds" {
		reply = s.retryLater(x, status, between(r, time.Millisecond, oneOf(r, time.Second, 5*time.Second, time.Minute)), way)
	}
	if way == "stall" {
		reply.stall = between(r, time.Second, time.Minute)
	}
	return reply
}

// retryLater is an answer that asks to wait in one of the ways that services have.
func (s *simService) retryLater(x *simRequest, status int, wait time.Duration, way string) *simReply {
	reply := s.refuse(x, status, "RATE_LIMITED")
	set := func(value string) { reply.header.Set("Retry-After", value) }
	whole := (wait + time.Second - 1).Truncate(time.Second)
	switch way {
	case "seconds", "stall":
		x.retryAfter = whole
		set(strconv.Itoa(int(whole.Seconds())))
	case "fraction":
		x.retryAfter = (wait + time.Millisecond - 1).Truncate(time.Millisecond)
		set(strconv.FormatFloat(x.retryAfter.Seconds(), 'f', 3, 64))
	case "date": // has whole seconds, and is never before the wait is over
		at := time.Now().Add(wait + time.Second - 1).Truncate(time.Second)
		x.retryAt = at.Sub(s.began)
		set(at.UTC().Format(http.TimeFormat))
	case "0", "-7", "soon":
		set(way)
	}
	return reply
}

// honest is the answer if nothing is made to fail.
func (s *simService) honest(x *simRequest, body []byte) *simReply {
	if x.token {
		return s.issue(x, body)
	}
	now := x.arrivedAt
	switch {
	case x.bearer == nil || x.bearer.revoked || x.bearer.ends > 0 && now >= x.bearer.ends:
		return s.refuse(x, http.StatusUnauthorized, "UNAUTHORIZED")
	case s.plan.service.disabledFrom > 0 && now >= s.plan.service.disabledFrom:
		x.fault = "403 disabled"
		return s.refuse(x, http.StatusForbidden, "ORGANISATION_DISABLED")
	}
	revision := 1
	for _, at := range s.plan.service.publications {
		if at <= now {
			revision++
		}
	}
	if of, err := strconv.Atoi(x.page); err == nil {
		revision = of
	}
	header := s.headers(x)
	document, answer := simDocument(x.path, revision)
	first, rest, long := strings.Cut(document, "},{")
	switch {
	case x.page != "":
		document = "[{" + rest
	case long && s.roll("pages", x).IntN(2) == 0: // a list comes in two pages
		document, answer = first+"}]", ""
		header.Set("Link", fmt.Sprintf(`<?of=%d>; rel="next"`, revision))
	}
	x.answer = answer
	return &simReply{status: http.StatusOK, header: header, body: []byte(document)}
}

// issue is the token endpoint.
func (s *simService) issue(x *simRequest, body []byte) *simReply {
	plan := &s.plan.service
	fields := map[string]string{}
	if x.asJSON {
		_ = json.Unmarshal(body, &fields)
	} else if form, err := url.ParseQuery(string(body)); err == nil {
		for name := range form {
			fields[name] = form.Get(name)
		}
	}
	switch {
	case plan.jsonOnly == "415" && !x.asJSON:
		return s.refuse(x, http.StatusUnsupportedMediaType, "UNSUPPORTED")
	case plan.jsonOnly != "" && !x.asJSON:
		return s.refuse(x, http.StatusBadRequest, plan.jsonOnly)
	case fields["grant_type"] != "client_credentials" || fields["client_id"] != "northwind":
		return s.refuse(x, http.StatusBadRequest, "invalid_request")
	case plan.wrongSecret || fields["client_secret"] != s.secret:
		return s.refuse(x, http.StatusUnauthorized, "invalid_client")
	}
	s.issued++
	token := &simToken{number: s.issued, asked: x.sentAt, known: never}
	token.text = fmt.Sprintf("t/en+&=?%s-%d", s.tokenPart, token.number)
	s.tokens[token.text], x.issued = token, token
	answer := map[string]any{"access_token": token.text, "token_type": "bearer"}
	if plan.tokenLife > 0 {
		token.ends = x.arrivedAt + plan.tokenLife
		if !plan.untold {
			token.stated = plan.tokenLife.Truncate(time.Second)
			answer["expires_in"] = int(token.stated.Seconds())
		}
	}
	return &simReply{status: http.StatusOK, header: s.headers(x), body: inJSON(answer)}
}

// headers are those of an answer.
func (s *simService) headers(x *simRequest) http.Header {
	id := strings.TrimSpace(fmt.Sprintf("request-%d %s", x.number, s.echo(x)))
	return http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {id}, "Server": {id}}
}

// echo spells the credentials that a request held in one of many ways, and may
// be empty.
func (s *simService) echo(x *simRequest) string {
	credentials := []string{s.secret, strings.TrimSpace(s.secret)}
	if x.bearer != nil {
		credentials = append(credentials, x.bearer.text)
	}
	if !s.plan.service.echoes {
		return ""
	}
	r := s.roll("echo", x)
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return -1
		}
		return c
	}, oneOf(r, spellingsOf(oneOf(r, credentials...))...))
}

// refuse is an answer other than 200, in the shape of the endpoint.
func (s *simService) refuse(x *simRequest, status int, code string) *simReply {
	x.code = code
	message := fmt.Sprintf("Message %d says %s.", x.number, s.echo(x))
	body := map[string]any{"code": code, "message": message, "statusCode": status}
	if x.token && status != http.StatusTooManyRequests {
		body = map[string]any{"error": code, "error_description": message}
	} else if code == "VALIDATION_FAILED" {
		body["data"] = map[string]any{"issues": []any{map[string]any{"field": "id", "messages": []string{message}}}}
	}
	return &simReply{status: status, header: s.headers(x), body: inJSON(body)}
}

func inJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// simDocument is a document of the service, and what it says in short.
func simDocument(path string, revision int) (document, answer string) {
	parts := strings.Split(path+"//", "/")
	group := parts[3]
	model := func(revision int) (document, answer string) {
		return fmt.Sprintf(`{"id":"%s-%d","modelGroupId":%[1]q,"name":"model","revision":%[2]d,"tags":["a","b"]}`, group, revision),
			fmt.Sprintf("%s-%d", group, revision)
	}
	object := fmt.Sprintf(`{"id":%q,"name":"Group","latestRevision":%d,"models":[]}`, group, revision)
	switch {
	case group == "":
		return "[" + strings.Replace(object, `""`, `"any"`, 1) + "]", ""
	case parts[4] == "":
		return object, fmt.Sprintf("%s@%d", group, revision)
	case parts[4] == "latest-model":
		return model(revision)
	}
	for i := revision; i > 0; i-- {
		d, a := model(i)
		document, answer = document+","+d, answer+","+a
	}
	return "[" + document[1:] + "]", answer[1:]
}
