package catalogue_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

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
	undated     bool          // without a Date
}

// decide is what becomes of a request that has arrived. It needs s.mu.
func (s *simService) decide(x *simRequest, body []byte) *simReply {
	plan := &s.plan.service
	s.attempts[x.key()]++
	now := x.arrivedAt
	for s.revoked < len(plan.revocations) && plan.revocations[s.revoked] <= now {
		s.revoked++
		for _, token := range s.tokens {
			token.revoked = true
		}
	}
	if plan.outage != "" && now >= plan.outageFrom && now < plan.outageTo {
		x.fault = "outage: " + plan.outage
		return s.apply(x, plan.outage)
	}
	if plan.changeAt > 0 && now >= plan.changeAt && s.counter.simAllowance != plan.changed {
		s.counter = simCounter{simAllowance: plan.changed, window: -1}
	}
	if wait := s.counter.admit(now); wait > 0 {
		x.fault = "allowance"
		return s.limit(x, wait, plan.refusal)
	}
	if stray := plan.strays; stray > 0 && !x.token && s.plan.dice.roll("stray", x.number).Float64() < stray {
		x.fault = "401 stray"
		return s.apply(x, x.fault)
	}
	if x.fault = s.drawFault(x); x.fault == "" {
		return s.honest(x, body)
	}
	switch x.fault {
	case "slow", "stall", "stall 401", "cut length", "cut json":
		// These concern the way of the answer, whatever it is.
		return s.distort(x, x.fault, s.honest(x, body))
	}
	return s.apply(x, x.fault)
}

// drawFault draws the fault of this attempt.
func (s *simService) drawFault(x *simRequest) string {
	faults := s.plan.service.readFaults
	if x.token {
		faults = s.plan.service.tokenFaults
	}
	attempt := s.attempts[x.key()]
	r := s.plan.dice.roll("fault "+x.path, x.reader, attempt)
	if len(faults) == 0 || s.hits[x.key()] >= s.plan.service.faultsEach || r.Float64() >= s.plan.service.faultRate {
		return ""
	}
	s.hits[x.key()]++
	return oneOf(r, faults...)
}

// honest is the answer where nothing is made to fail.
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
	document, answer := simDocument(x.path, revision, s.plan.service.groups)
	x.answer = answer
	return &simReply{status: http.StatusOK, header: s.headers(x), body: []byte(document)}
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
	token := &simToken{number: len(s.issued) + 1, process: x.process, asked: x.sentAt, known: never, refused: never}
	token.text = fmt.Sprintf("t/en+&=?%s-%d", s.tokenPart, token.number)
	s.issued = append(s.issued, token)
	s.tokens[token.text] = token
	x.issued = token
	answer := map[string]any{"access_token": token.text, "token_type": "bearer"}
	if plan.tokenLife > 0 {
		token.ends = x.arrivedAt + plan.tokenLife
		token.stated = plan.tokenLife.Truncate(time.Second)
		seconds := int(token.stated.Seconds())
		switch plan.expiresIn {
		case "number":
			answer["expires_in"] = seconds
		case "text":
			answer["expires_in"] = strconv.Itoa(seconds)
		case "fraction":
			answer["expires_in"] = plan.tokenLife.Seconds()
		case "null":
			answer["expires_in"], token.stated = nil, 0
		default:
			token.stated = 0
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return &simReply{status: http.StatusOK, header: s.headers(x), body: text}
}

// headers are those of an answer.
func (s *simService) headers(x *simRequest) http.Header {
	header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {fmt.Sprintf("request-%d", x.number)}}
	if s.plan.service.echoes {
		header["X-Request-Id"] = []string{header.Get("X-Request-Id") + " " + s.echo(x)}
		header["Server"] = header["X-Request-Id"]
	}
	return header
}

// echo spells the credentials that a request held in one of many ways, and may
// be empty.
func (s *simService) echo(x *simRequest) string {
	if !s.plan.service.echoes {
		return ""
	}
	credentials := []string{s.secret, strings.TrimSpace(s.secret)}
	if s.given != nil {
		credentials = nil // the client knows no secret, so it can hide none
	}
	if x.bearer != nil {
		credentials = append(credentials, x.bearer.text)
	}
	if len(credentials) == 0 {
		return ""
	}
	r := s.plan.dice.roll("echo "+x.path, x.reader, s.attempts[x.key()])
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
	switch {
	case x.token && status != http.StatusTooManyRequests:
		body = map[string]any{"error": code, "error_description": message}
	case code == "VALIDATION_FAILED":
		body["data"] = map[string]any{"issues": []any{map[string]any{"field": "id", "messages": []string{message}}}}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return &simReply{status: status, header: s.headers(x), body: text}
}

// limit is a 429 that asks to wait in one of the ways that services have.
func (s *simService) limit(x *simRequest, wait time.Duration, way string) *simReply {
	reply := s.refuse(x, http.StatusTooManyRequests, "RATE_LIMITED")
	whole := (wait + time.Second - 1).Truncate(time.Second)
	if s.plan.service.skew != 0 && way == "bare date" {
		way = "date" // without a Date beside it, a date of another clock says nothing
	}
	name := func(value string) { reply.header.Set("Retry-After", value) }
	switch way {
	case "seconds":
		name(strconv.Itoa(int(whole.Seconds())))
	case "bare date":
		reply.undated = true
		fallthrough
	case "date":
		// A date has whole seconds, and is never before the wait is over.
		name(s.clock().Add(wait + time.Second - 1).Truncate(time.Second).Format(http.TimeFormat))
	case "0":
		name("0")
	case "junk":
		name("soon")
	case "negative":
		name("-7")
	}
	switch way {
	case "seconds":
		x.pauseFor = whole
	case "date", "bare date":
		x.pauseUntil = x.arrivedAt + wait
	default:
		x.pauseFor, x.unnamed = time.Second, true
	}
	return reply
}

// simDocument is a document of the service, and what it tells in short.
func simDocument(path string, revision, groups int) (document, answer string) {
	model := func(group string, revision int) string {
		return fmt.Sprintf(`{"id":"%s-%d","modelGroupId":%[1]q,"name":"model","revision":%[2]d,"tags":["a","b"]}`,
			group, revision)
	}
	object := func(group string) string {
		return fmt.Sprintf(`{"id":%q,"name":"Group %[1]s","latestRevision":%[2]d,"models":[{"id":"%[1]s-%[2]d","revision":%[2]d}]}`,
			group, revision)
	}
	switch parts := strings.Split(path, "/"); {
	case len(parts) == 3:
		var documents, answers []string
		for i := range groups {
			documents = append(documents, object(groupID(i)))
			answers = append(answers, fmt.Sprintf("%s@%d", groupID(i), revision))
		}
		return "[" + strings.Join(documents, ",") + "]", strings.Join(answers, ",")
	case len(parts) == 4:
		return object(parts[3]), fmt.Sprintf("%s@%d", parts[3], revision)
	case parts[4] == "latest-model":
		return model(parts[3], revision), fmt.Sprintf("%s-%d", parts[3], revision)
	default:
		var documents, answers []string
		for i := range revision {
			documents = append(documents, model(parts[3], revision-i))
			answers = append(answers, fmt.Sprintf("%s-%d", parts[3], revision-i))
		}
		return "[" + strings.Join(documents, ",") + "]", strings.Join(answers, ",")
	}
}
