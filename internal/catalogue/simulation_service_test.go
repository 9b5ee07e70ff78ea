package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// never stands for a moment that has not come.
const never = time.Duration(-1)

// simRequest is one request as the service knows it, for the checks. Times
// count from the beginning of the simulation, and are those of the client's end
// of the connection.
type simRequest struct {
	number  int
	process int
	token   bool   // it asks for one
	path    string // with the query
	reader  int    // who made the call that it belongs to, -1 where that is not known
	bearer  *simToken
	asJSON  bool
	fault   string // what was done to it, "" for nothing
	status  int    // 0 where no header came
	answer  string // what a 200 tells, in the words of simReading.answer
	issued  *simToken
	code    string // of the error, or of the token endpoint's
	unnamed bool   // a 429 that names no wait

	sentAt, arrivedAt, headerAt, endAt time.Duration
	pauseFor, pauseUntil               time.Duration // of a 429: from its header, or at least until then
	timedOut                           bool          // request_timeout ended it
	left                               bool          // it ended because nobody waited for it any more
	delivered                          bool          // the client has all that the service sent
	cut                                bool          // which was not all
	closed                             bool          // a kept connection was closed before the first byte
}

// simToken is a token as the service knows it.
type simToken struct {
	number  int
	process int
	text    string
	asked   time.Duration // when the request for it was sent
	known   time.Duration // when the client had it, or never
	ends    time.Duration // 0: it serves for ever
	stated  time.Duration // its life as the answer tells it, 0 where it does not
	revoked bool
	refused time.Duration // when the client was told that it is refused, or never
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
	attempts map[string]int // by question, and who asks
	hits     map[string]int // faults of each
	tokens   map[string]*simToken
	issued   []*simToken
	given    *simToken // in place of credentials, nil where these are given
	revoked  int       // how many revocations have been
	underWay int
	kept     map[string]bool // connections that have carried a request
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
	s.secret = oneOf(r, "%s", `s&"/+?é<~> %s`, "%s==", "%s\n")
	s.secretPart, s.tokenPart = chunk("Sx"), chunk("Tk")
	s.secret = strings.ReplaceAll(s.secret, "%s", s.secretPart)
	if plan.accessToken {
		s.given = &simToken{text: "t/en+&=?" + s.tokenPart, known: 0, refused: never}
		if plan.service.tokenLife > 0 {
			s.given.ends = plan.service.tokenLife
		}
		s.given.revoked = plan.service.wrongSecret
		s.tokens[s.given.text] = s.given
	}
	return s
}

// mostSimRequests is more than any plan takes. A client that never stops asking
// must not hold everything up.
const mostSimRequests = 5_000

// now is the time since the beginning.
func (s *simService) now() time.Duration { return time.Since(s.began) }

type simReaderKey struct{}

// arrive records a request that the client sends now.
func (s *simService) arrive(ctx context.Context, process int, method, path string, header http.Header) *simRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	reader, ok := ctx.Value(simReaderKey{}).(int)
	if !ok {
		reader = -1
		if s.plan.way != inMemory && method == http.MethodGet {
			for _, other := range s.plan.readers {
				if path == other.path(other.groups[0]) {
					reader = other.index
				}
			}
		}
	}
	x := &simRequest{
		number: len(s.log), process: process, token: method == http.MethodPost, path: path, reader: reader,
		sentAt: s.now(), arrivedAt: never, headerAt: never, endAt: never, pauseUntil: never,
	}
	x.asJSON = strings.HasPrefix(header.Get("Content-Type"), "application/json")
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
	if err != nil && x.endAt-x.sentAt == s.plan.requestTimeout {
		x.timedOut = true
	} else if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		x.left = true
	}
	if x.issued != nil && x.delivered && !x.cut {
		x.issued.known = x.endAt
	}
}

// header records that the header of the answer is with the client.
func (s *simService) header(x *simRequest, reply *simReply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.headerAt, x.status = s.now(), reply.status
	if x.status == http.StatusUnauthorized && x.bearer != nil && x.bearer.refused == never {
		x.bearer.refused = x.headerAt
	}
	if x.pauseFor > 0 {
		x.pauseUntil = x.headerAt + x.pauseFor
	}
}

// latency is how long each way of a request takes.
func (s *simService) latency(x *simRequest) (there, back time.Duration) {
	r := s.plan.dice.roll("latency "+x.path, x.reader, s.attempts[x.key()])
	base := s.plan.service.latencyBase
	if x.token {
		defer func() { there += s.plan.service.tokenTakes }()
	}
	half := func() time.Duration {
		switch s.plan.service.latency {
		case "constant":
			return base / 2
		case "jitter":
			return between(r, base/10, base)
		default: // heavy-tailed: one in a hundred takes twenty times as long and more
			return min(base/4*time.Duration(1/(1-r.Float64()*0.9999)), 15*time.Second)
		}
	}
	// No two requests take quite the same time, so that a replay takes the same
	// turns.
	jiggle := time.Duration(r.IntN(1000)) * time.Nanosecond
	return half() + jiggle, half() + jiggle
}

// key names who asks what.
func (x *simRequest) key() string {
	if x.token {
		return fmt.Sprint("token ", x.process)
	}
	return fmt.Sprint(x.path, " ", x.reader)
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
	x := s.arrive(ctx, s.process, request.Method, "/v1"+target, request.Header)
	reply, err := s.answer(ctx, x, body)
	if err != nil {
		s.end(x, err)
		return nil, err
	}
	s.header(x, reply)
	if !reply.undated {
		reply.header.Set("Date", s.clock().Format(http.TimeFormat))
	}
	length := int64(len(reply.body))
	if reply.cut {
		length *= 2
	}
	return &http.Response{
		Status: fmt.Sprint(reply.status, " ", http.StatusText(reply.status)), StatusCode: reply.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: reply.header, ContentLength: length, Request: request,
		Body: &simBody{service: s.simService, request: x, ctx: ctx, reply: reply},
	}, nil
}

// clock is the service's own.
func (s *simService) clock() time.Time { return time.Now().Add(s.plan.service.skew).UTC() }

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

// simBody is the body of an answer, which may come late or not whole.
type simBody struct {
	service *simService
	request *simRequest
	ctx     context.Context
	reply   *simReply
	read    int
	failed  error
}

func (b *simBody) Read(p []byte) (int, error) {
	if b.failed == nil {
		b.failed = elapse(b.ctx, b.reply.stall)
		b.reply.stall = 0
	}
	if b.failed != nil {
		return 0, b.failed
	}
	n := copy(p, b.reply.body[b.read:])
	if b.read += n; b.read < len(b.reply.body) {
		return n, nil
	}
	b.service.mu.Lock()
	b.request.delivered, b.request.cut = true, b.reply.cut || b.reply.halved
	b.service.mu.Unlock()
	if b.reply.cut {
		b.failed = io.ErrUnexpectedEOF
		return n, b.failed
	}
	return n, io.EOF
}

func (b *simBody) Close() error {
	err := b.failed
	if err == nil && !b.request.delivered {
		err = b.ctx.Err()
	}
	b.service.end(b.request, err)
	return nil
}
