package catalogue_test

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// dice draws every decision of a simulation from the seed and a name, because goroutines of a bubble run in any order:
// the order of drawing must decide nothing.
type dice uint64

// roll returns the source for one name.
func (d dice) roll(name string, numbers ...int) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	for _, n := range numbers {
		bytes := binary.LittleEndian.AppendUint64(nil, uint64(n))
		_, _ = hash.Write(bytes)
	}
	source := rand.NewPCG(uint64(d), hash.Sum64())
	return rand.New(source)
}

func oneOf[T any](r *rand.Rand, choices ...T) T {
	return choices[r.IntN(len(choices))]
}

// between returns a time from low to high.
func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(high-low)+1))
}

// simReader reads one group.
type simReader struct {
	index    int
	group    int
	start    time.Duration
	timeout  time.Duration // at most the plan's read_timeout
	cancelAt time.Duration // after its start, 0: never
}

// simPlan is drawn from a seed: the reads, the settings, and the behaviour of the service.
type simPlan struct {
	dice           dice
	readers        []simReader
	readTimeout    time.Duration
	requestTimeout time.Duration
	maxRetries     int
	ceiling        pace.Limit
	snapshot       bool
	interruptAt    time.Duration // 0: never
	jitter         float64       // of every back-off
	service        simServicePlan
}

// simServicePlan is the behaviour of the service.
type simServicePlan struct {
	allowance simAllowance
	latency   time.Duration // of half the way, at most
	heavyTail bool          // some take much longer

	readFaults, tokenFaults []string
	faultRate               float64
	faultsEach              int // the most for each question, and for tokens in a row
	outage                  string
	outageFrom, outageTo    time.Duration
	strays                  float64       // the share of an instance that rejects every token
	strayTakes              time.Duration // until it answers

	tokenLife    time.Duration // 0: a token serves for ever
	unstated     bool          // its life is not stated
	wrongSecret  bool
	revocations  []time.Duration // of all tokens
	disabledFrom time.Duration   // the organisation, 0: never
	retryAfter   string          // the form of the Retry-After of an allowance
}

// Faults that stay.
const (
	faultNoHost        = "no host"
	faultNobodyListens = "nobody listens"
)

var (
	// Faults forgiven by the rules, and those that end a read.
	passingReadFaults = []string{
		"408", "500", "502", "503", "503 seconds", "500 html", "reset", "hang", "hang", "cut length", "cut json",
		"stall", "slow", "slow", "429 stall", "500 stall", "401", "401 stray", "401 late", "401 late",
		faultNoHost, faultNobodyListens,
		"429 seconds", "429 fraction", "429 date", "429 absent", "429 0",
	}
	finalReadFaults = []string{
		"403 disabled", "403", "404", "400", "html", "redirect", "404 temporarily",
	}
	passingTokenFaults = []string{
		"502 temporarily", "500", "503", "503 seconds", "408", "reset", "hang", "cut length", "cut json", "stall", "slow",
		faultNoHost, faultNobodyListens,
		"429 seconds", "429 fraction", "429 date", "429 absent", "429 stall",
	}
	finalTokenFaults = []string{"401 invalid", "400 invalid", "403", "no token", "html", "redirect"}
)

// isDown reports whether the service is in its outage.
func (s *simServicePlan) isDown(now time.Duration) bool {
	return s.outage != "" && now >= s.outageFrom && now < s.outageTo
}

// newSimPlan draws a plan.
func newSimPlan(seed uint64) simPlan {
	d := dice(seed)
	r := d.roll("plan")
	p := simPlan{
		dice:           d,
		jitter:         oneOf(r, 0, r.Float64(), 0.999),
		readTimeout:    oneOf(r, 5*time.Minute, 5*time.Minute, time.Minute, 20*sec, 10*time.Minute, 2*sec),
		requestTimeout: oneOf(r, 30*sec, 30*sec, 10*sec, 2*sec, time.Minute),
		maxRetries:     oneOf(r, 4, 4, 4, 0, 1, 2, 6),
		snapshot:       r.IntN(4) > 0,
	}
	p.requestTimeout -= 7 * time.Millisecond // so that nothing else ends at the same moment
	if r.IntN(4) == 0 {
		p.ceiling = pace.Limit{
			Requests: oneOf(r, 1, 1, 2, 5, 20, 60),
			Per:      oneOf(r, 200*time.Millisecond, sec, 2*sec, 10*sec, time.Minute),
		}
	}
	if p.ceiling.Requests > 0 && r.IntN(3) == 0 {
		// The ceiling leaves about this time to some reads, and less to others.
		p.readTimeout = max(2*sec, time.Duration(1+r.IntN(3))*p.ceiling.Per+oneOf(r, 0, time.Millisecond, sec, 2*sec))
	}
	p.service = newSimServicePlan(d.roll("service"), p.maxRetries)
	p.drawReaders(d.roll("readers"))
	if r.IntN(12) == 0 {
		p.interruptAt = between(r, 0, 30*sec) + 1
	}
	return p
}

func (p *simPlan) drawReaders(r *rand.Rand) {
	count := 1 + r.IntN(oneOf(r, 1, 2, 3, 5, 10, 10, 20, 30, 60))
	groups := oneOf(r, 1, 3, 10, 50, 200)
	spread := oneOf(r, 0, 0, time.Millisecond, sec, 20*sec, 2*time.Minute)
	for i := range count {
		reader := simReader{
			index:   i,
			group:   r.IntN(groups),
			start:   between(r, 0, spread),
			timeout: p.readTimeout,
		}
		if !p.snapshot {
			reader.group = i // nothing is shared, and the rules tell questions apart by their paths
		}
		if r.IntN(15) == 0 {
			reader.timeout = between(r, sec, p.readTimeout)
		}
		if r.IntN(15) == 0 {
			reader.cancelAt = between(r, 0, 20*sec) + 1
		}
		p.readers = append(p.readers, reader)
	}
	slices.SortStableFunc(p.readers, func(a, b simReader) int {
		return int(a.start - b.start)
	})
}

func newSimServicePlan(r *rand.Rand, maxRetries int) simServicePlan {
	s := simServicePlan{
		latency:   oneOf(r, time.Millisecond, 20*time.Millisecond, 100*time.Millisecond, 300*time.Millisecond, sec),
		heavyTail: r.IntN(3) == 0,
		tokenLife: oneOf(r, time.Hour, time.Hour, 0, 3*sec, 8*sec, 10*sec,
			30*sec, time.Minute, between(r, 5*sec, time.Hour)),
		unstated:    r.IntN(4) == 0,
		retryAfter:  oneOf(r, "seconds", "seconds", "seconds", "fraction", "date", "absent"),
		wrongSecret: r.IntN(30) == 0,
	}
	if r.IntN(100) < 60 {
		s.allowance = newSimAllowance(r)
	}
	if r.IntN(15) == 0 {
		s.allowance.Allowance = sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 1 + r.IntN(10), Per: 24 * time.Hour}
		s.retryAfter = "absent"
	}
	s.drawFaults(r, maxRetries)
	if r.IntN(8) == 0 {
		for range 1 + r.IntN(3) {
			s.revocations = append(s.revocations, between(r, 0, time.Minute))
		}
	}
	if r.IntN(40) == 0 {
		s.disabledFrom = between(r, 0, 30*sec) + 1
	}
	return s
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
		if r.IntN(3) == 0 {
			s.readFaults = append(s.readFaults, oneOf(r, finalReadFaults...))
		}
		if r.IntN(12) == 0 {
			s.tokenFaults = append(s.tokenFaults, oneOf(r, finalTokenFaults...))
		}
	}
	if r.IntN(10) == 0 {
		s.outage = oneOf(r, "reset", "502", "hang")
		s.outageFrom = between(r, 0, time.Minute)
		s.outageTo = s.outageFrom + between(r, sec, 3*time.Minute)
	}
	if r.IntN(12) == 0 {
		s.strays = oneOf(r, 0.05, 0.2, 0.5, 1)
		if r.IntN(2) == 0 { // a 401 comes after the end of its token
			s.strays, s.strayTakes, s.tokenLife = 1, 12*sec, 10*sec
		}
	}
}

// simAllowance is the allowance of a simulated service: any number of requests, if Requests is 0.
type simAllowance struct {
	sandbox.Allowance
	phase time.Duration // of fixed windows, when the simulation begins
}

func newSimAllowance(r *rand.Rand) simAllowance {
	a := sandbox.Allowance{
		Kind:     oneOf(r, sandbox.FixedWindow, sandbox.SlidingWindow, sandbox.Bucket),
		Requests: oneOf(r, 1, 2, 5, 10, 20, 60, 120),
		Per:      oneOf(r, sec, 2*sec, 4*sec, 10*sec, 30*sec, time.Minute),
	}
	return simAllowance{a, between(r, 0, a.Per-1)}
}

// simCounter is an allowance in use.
type simCounter struct {
	simAllowance
	counter sandbox.Counter
}

// admit returns how long a request that arrives at now has to wait, 0 if it is let through.
func (c *simCounter) admit(now time.Duration) time.Duration {
	if c.Requests == 0 {
		return 0
	}
	if c.counter == nil {
		c.counter = c.Counter()
	}
	return c.counter.Take(time.Time{}.Add(c.phase + now))
}
