package catalogue_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// dice draws every decision of a simulation from the seed and the name of what
// asks for it. Goroutines of a bubble run in any order, so the order of asking
// must decide nothing.
type dice uint64

// roll is the source for one name.
func (d dice) roll(name string, numbers ...int) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	for _, n := range numbers {
		_, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	return rand.New(rand.NewPCG(uint64(d), hash.Sum64()))
}

func oneOf[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// between is a time from low to high.
func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(high-low)+1))
}

// The ways to the service that a seed can take.
type simWay int

const (
	inMemory  simWay = iota // a RoundTripper, which is the fastest
	overHTTP1               // net/http, connections in memory
	overHTTP2               // likewise, with TLS
)

func (w simWay) String() string { return []string{"memory", "HTTP/1.1", "HTTP/2"}[w] }

// simReader is who asks one question for each of its groups.
type simReader struct {
	index    int
	process  int
	source   string // model_groups, model_group, latest_model, models, or pinned: models with a certain revision
	groups   []int  // what it is about; none for model_groups
	revision int    // that pinned asks for
	start    time.Duration
	cancelAt time.Duration // after its start, 0: never
}

// simPlan is all that a seed decides: what is read, with which settings, and how
// the service behaves.
type simPlan struct {
	dice           dice
	way            simWay
	processes      int // each a client of its own, which share the allowance
	readers        []simReader
	parallelism    int // of each process, as an engine's
	readTimeout    time.Duration
	requestTimeout time.Duration
	maxRetries     int
	ceiling        pace.Limit
	snapshot       bool
	accessToken    bool          // one is given in place of credentials
	interruptAt    time.Duration // 0: never
	jitter         float64       // of every back-off
	service        simServicePlan
}

// simServicePlan is how the service behaves.
type simServicePlan struct {
	groups      int
	allowance   simAllowance
	changeAt    time.Duration // when another allowance takes its place, 0: never
	changed     simAllowance
	latency     string
	latencyBase time.Duration
	tokenTakes  time.Duration // what the token endpoint takes in addition

	readFaults, tokenFaults []string
	faultRate               float64
	faultsEach              int // at most so many for each question, and for tokens in a row
	outage                  string
	outageFrom, outageTo    time.Duration
	strays                  float64 // the share of an instance that refuses every token
	closing                 float64 // the share of requests whose kept connection is closed before the first byte

	tokenLife    time.Duration // 0: a token serves for ever
	expiresIn    string        // how its life is told
	jsonOnly     string        // how a form is refused, "" where it is taken
	wrongSecret  bool
	revocations  []time.Duration // when all tokens are revoked
	disabledFrom time.Duration   // when the organisation is disabled, 0: never
	publications []time.Duration // when every group gets another revision
	echoes       bool            // messages and headers repeat credentials
	refusal      string          // how an allowance tells what to wait
	skew         time.Duration   // of the service's clock
}

var (
	// Faults that the rules forgive, and those that end a read.
	passingReadFaults = []string{
		"408", "500", "502", "503", "503 Retry-After", "500 html", "500 empty", "reset", "hang", "hang", "cut length", "cut json",
		"stall", "slow", "slow", "stall 429", "stall 500", "stall 401", "401", "401 stray",
		"429 seconds", "429 date", "429 bare date", "429 absent", "429 0", "429 junk", "429 negative",
	}
	finalReadFaults = []string{
		"403 disabled", "403", "404", "400", "409", "418", "html", "shape", "redirect", "bad redirect", "404 temporarily", "401 always",
	}
	passingTokenFaults = []string{
		"502 temporarily", "500", "503", "408", "reset", "hang", "cut length", "cut json", "stall", "slow",
		"429 seconds", "429 date", "429 absent", "stall 429",
	}
	finalTokenFaults = []string{"invalid_client", "invalid_request", "404", "403", "no token", "mac", "html", "redirect"}
)

// newSimPlan draws a plan.
func newSimPlan(seed uint64) simPlan {
	d := dice(seed)
	r := d.roll("plan")
	p := simPlan{dice: d, processes: 1, jitter: oneOf(r, 0, r.Float64(), 0.999)}
	switch n := r.IntN(100); {
	case n < 1:
		p.way = overHTTP2
	case n < 6:
		p.way = overHTTP1
	case n < 16:
		p.processes = oneOf(r, 2, 2, 3, 4)
	}
	p.readTimeout = oneOf(r, 5*time.Minute, 5*time.Minute, time.Minute, 20*time.Second, 10*time.Minute, 2*time.Second)
	p.requestTimeout = oneOf(r, 30*time.Second, 30*time.Second, 10*time.Second, 2*time.Second, time.Minute)
	p.requestTimeout -= 7 * time.Millisecond // so that nothing else ends at the same moment
	p.maxRetries = oneOf(r, 4, 4, 4, 0, 1, 2, 6)
	if r.IntN(4) == 0 {
		p.ceiling = pace.Limit{
			Requests: oneOf(r, 1, 1, 2, 5, 20, 60), Per: oneOf(r, 200*time.Millisecond, time.Second, 2*time.Second, 10*time.Second, time.Minute),
		}
	}
	p.snapshot = r.IntN(4) > 0
	p.accessToken = r.IntN(25) == 0
	p.service = newSimServicePlan(d.roll("service"), p.maxRetries)
	p.service.makeReadsPossible(p.ceiling)
	p.drawReaders(d.roll("readers"))
	if r.IntN(12) == 0 {
		p.interruptAt = between(r, 0, 30*time.Second) + 1
	}
	return p
}

func (p *simPlan) drawReaders(r *rand.Rand) {
	count := 1 + r.IntN(oneOf(r, 1, 2, 3, 5, 10, 10, 20, 30, 60))
	p.service.groups = oneOf(r, 1, 2, 5, 20, 100)
	p.parallelism = oneOf(r, 1, 2, 10, 10, 30, 60)
	spread := oneOf(r, 0, 0, time.Millisecond, time.Second, 20*time.Second, 2*time.Minute)
	sources := []string{"model_group", "latest_model", "models", "pinned"}
	switch r.IntN(4) {
	case 0:
		sources = append(sources, "model_groups", "models", "latest_models", "pinned_models")
	case 1:
		sources = sources[1:2]
	}
	if p.way != inMemory {
		// A request is told from another by its path only.
		p.service.groups, p.snapshot = 100, true
		count = min(count, 10)
	}
	for i := range count {
		reader := simReader{index: i, process: r.IntN(p.processes), source: oneOf(r, sources...), start: between(r, 0, spread)}
		switch {
		case p.way != inMemory:
			reader.source, reader.groups = "latest_model", []int{i}
		case reader.source == "latest_models", reader.source == "pinned_models":
			for range 1 + r.IntN(8) {
				if group := r.IntN(p.service.groups); !slices.Contains(reader.groups, group) {
					reader.groups = append(reader.groups, group)
				}
			}
		case reader.source != "model_groups":
			reader.groups = []int{r.IntN(p.service.groups)}
		}
		switch reader.source {
		case "latest_models":
			reader.source = "latest_model"
		case "pinned", "pinned_models":
			reader.source, reader.revision = "pinned", oneOf(r, 1, 1, 2, 3, 9)
		}
		if r.IntN(15) == 0 {
			reader.cancelAt = between(r, 0, 20*time.Second) + 1
		}
		p.readers = append(p.readers, reader)
	}
	slices.SortStableFunc(p.readers, func(a, b simReader) int { return int(a.start - b.start) })
}

func newSimServicePlan(r *rand.Rand, maxRetries int) simServicePlan {
	s := simServicePlan{
		latency:     oneOf(r, "constant", "jitter", "heavy"),
		latencyBase: oneOf(r, time.Millisecond, 20*time.Millisecond, 100*time.Millisecond, 300*time.Millisecond, time.Second),
		tokenLife: oneOf(r, time.Hour, time.Hour, 0, time.Second, 2*time.Second, 5*time.Second, 8*time.Second, 10*time.Second,
			30*time.Second, time.Minute, between(r, 5*time.Second, time.Hour)),
		expiresIn: oneOf(r, "number", "number", "absent", "text", "fraction", "null"),
		refusal:   oneOf(r, "seconds", "seconds", "seconds", "date", "absent"),
		echoes:    r.IntN(5) == 0,
		skew:      oneOf(r, 0, 0, 0, -3*time.Hour, 40*time.Minute),
	}
	if r.IntN(100) < 60 {
		s.allowance = newSimAllowance(r)
		if r.IntN(6) == 0 {
			s.changeAt, s.changed = between(r, 0, 2*time.Minute), newSimAllowance(r)
		}
	}
	if r.IntN(8) == 0 {
		s.tokenTakes = oneOf(r, time.Second, 3*time.Second, 6*time.Second, 9*time.Second)
	}
	s.drawFaults(r, maxRetries)
	if r.IntN(15) == 0 {
		s.jsonOnly = oneOf(r, "415", "invalid_request", "unsupported_grant_type")
	}
	s.wrongSecret = r.IntN(30) == 0
	if r.IntN(8) == 0 {
		for range 1 + r.IntN(3) {
			s.revocations = append(s.revocations, between(r, 0, time.Minute))
		}
		slices.Sort(s.revocations)
	}
	if r.IntN(40) == 0 {
		s.disabledFrom = between(r, 0, 30*time.Second) + 1
	}
	if r.IntN(4) == 0 {
		for range 1 + r.IntN(3) {
			s.publications = append(s.publications, between(r, 0, 20*time.Second))
		}
	}
	return s
}

// makeReadsPossible gives tokens a life in which a read can follow, where one request at
// a time is let through. Of tokens that are over when they come readers are told.
func (s *simServicePlan) makeReadsPossible(ceiling pace.Limit) {
	if s.tokenLife <= s.tokenTakes {
		return
	}
	if s.allowance.requests == 1 {
		s.tokenLife = max(s.tokenLife, 2*s.allowance.per)
	}
	if ceiling.Requests == 1 {
		s.tokenLife = max(s.tokenLife, 2*ceiling.Per)
	}
}

func (s *simServicePlan) drawFaults(r *rand.Rand, maxRetries int) {
	if r.IntN(100) < 65 {
		s.faultRate = oneOf(r, 0.02, 0.1, 0.3, 1)
		s.faultsEach = oneOf(r, 1, 1, 2, max(maxRetries, 1), maxRetries+1, 1000)
		for range r.IntN(4) {
			s.readFaults = append(s.readFaults, oneOf(r, passingReadFaults...))
		}
		for range r.IntN(3) {
			s.tokenFaults = append(s.tokenFaults, oneOf(r, passingTokenFaults...))
		}
		if r.IntN(4) == 0 {
			s.readFaults = append(s.readFaults, oneOf(r, finalReadFaults...))
		}
		if r.IntN(12) == 0 {
			s.tokenFaults = append(s.tokenFaults, oneOf(r, finalTokenFaults...))
		}
	}
	if r.IntN(10) == 0 {
		s.outage = oneOf(r, "reset", "502", "hang")
		s.outageFrom = between(r, 0, time.Minute)
		s.outageTo = s.outageFrom + between(r, time.Second, 3*time.Minute)
	}
	if r.IntN(20) == 0 {
		s.strays = oneOf(r, 0.05, 0.2)
	}
	if r.IntN(3) == 0 {
		s.closing = oneOf(r, 0.05, 0.3, 1)
	}
}

func (p *simPlan) String() string {
	return fmt.Sprintf("by %s, %d processes, %d at once, read_timeout %s, request_timeout %s, max_retries %d, ceiling %s, snapshot %t, "+
		"access_token %t, interrupt %s, jitter %.3f\nservice %+v\nreaders %+v", p.way, p.processes, p.parallelism, p.readTimeout,
		p.requestTimeout, p.maxRetries, p.ceiling, p.snapshot, p.accessToken, p.interruptAt, p.jitter, p.service, p.readers)
}

// path is that of a question about a group.
func (r *simReader) path(group int) string {
	path := "/v1/model-group"
	if r.source == "model_groups" {
		return path
	}
	path += "/" + groupID(group)
	switch r.source {
	case "latest_model":
		path += "/latest-model"
	case "models", "pinned":
		path += "/models"
	}
	return path
}
