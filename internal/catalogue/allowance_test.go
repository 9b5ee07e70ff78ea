package catalogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// allowanceCell is a plan over a service that limits requests: each process
// reads so many groups, so many at once, and all of them share one allowance.
type allowanceCell struct {
	allowance   sandbox.Allowance
	processes   int
	groups      int
	parallelism int
	tokenLife   time.Duration
	latency     latency
	tenths      int // the run begins so many tenths of a window after one did; 0: at any phase, by the seed
	trouble     trouble
	fleet       bool // as latest_models does: 10 at once, up to parallelism while all goes well
}

// latency is how long answers take, half of it on the way there.
type latency struct {
	name string
	draw func(*rand.Rand) time.Duration
}

func spread(name string, least, most time.Duration) latency {
	return latency{name: name, draw: func(r *rand.Rand) time.Duration { return least + time.Duration(r.Int64N(int64(most-least))) }}
}

var (
	quickAnswers = spread("0.02 to 0.18 s", 20*time.Millisecond, 180*time.Millisecond)
	// evenAnswers differ by microseconds, so that the order of what happens follows from the seed.
	evenAnswers   = spread("0.6 s", 600*time.Millisecond, 600*time.Millisecond+20*time.Microsecond)
	spreadAnswers = spread("0 to 1.5 s", 0, 1500*time.Millisecond)
	// tailedAnswers are quick but for one in a hundred.
	tailedAnswers = latency{name: "heavy tail", draw: func(r *rand.Rand) time.Duration {
		if r.IntN(100) == 0 {
			return 2500*time.Millisecond + time.Duration(r.Int64N(int64(5*time.Second)))
		}
		return quickAnswers.draw(r)
	}}
	latencies = []latency{quickAnswers, evenAnswers, spreadAnswers, tailedAnswers}
)

// trouble is what a run meets beside its allowance.
type trouble struct {
	strays    []int         // which requests are answered with 429 although there is plenty
	strayWait time.Duration // and what those name
	others    time.Duration // for so long from the beginning, or from othersAt on, others take the whole allowance
	othersAt  time.Duration
	half      bool // others take half of it only
}

// most is the time that the trouble may cost.
func (t trouble) most() time.Duration {
	return time.Duration(len(t.strays))*t.strayWait + t.others
}

// allowanceRun is what one such plan came to on a fake clock.
type allowanceRun struct {
	took     time.Duration // until the last read of the last process ended
	least    time.Duration // the least time that the allowance permits
	refusals int
	tokens   int
	failure  error // of a read, nil where all went well
}

// excess is the time in multiples of the least, where windows are only what
// counts in full: a plan that fits in the first window has no least to compare
// with, and 0 stands for it.
func (r allowanceRun) excess() float64 {
	if r.least <= 0 {
		return 0
	}
	return float64(r.took) / float64(r.least)
}

// run makes the plan. The seed decides the phase of the windows and how long
// answers take.
func (c allowanceCell) run(t *testing.T, seed uint64) (out allowanceRun) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 8))
		phase := time.Duration(random.Int64N(int64(c.allowance.Per)))
		if c.tenths > 0 {
			time.Sleep(time.Until(time.Now().Truncate(c.allowance.Per).Add(c.allowance.Per)))
			phase = c.allowance.Per * time.Duration(c.tenths) / 10
		}
		time.Sleep(phase)
		service := &limitedService{
			handler: sandbox.New(groupsOf(t, c.groups), sandbox.WithAllowance(c.allowance), sandbox.WithTokenLife(c.tokenLife)),
			random:  random, cell: c, began: time.Now(),
		}
		began := time.Now()
		out.least = c.least(began) + c.trouble.most()
		var failure atomic.Pointer[error]
		var all sync.WaitGroup
		for range c.processes {
			client := service.client(t)
			all.Go(func() {
				c.readAll(func(i int) {
					if _, err := client.LatestModel(t.Context(), groupName(i)); err != nil {
						failure.CompareAndSwap(nil, &err)
					}
				}, client.refused.Load)
			})
		}
		all.Wait()
		out.took, out.refusals, out.tokens = time.Since(began), service.refusals, service.tokens
		if first := failure.Load(); first != nil {
			out.failure = *first
		}
	})
	return out
}

// readAll reads every group once, as many at a time as the cell has readers. A fleet widens from 10 as
// internal/provider does, and keeps to 10 once a 429 was heard.
func (c allowanceCell) readAll(read func(int), refused func() bool) {
	const first, more, soon = 10, 2, 5 * time.Second
	width, ended := c.parallelism, make(chan time.Duration)
	if c.fleet {
		width = first
	}
	for begun, open := 0, 0; begun < c.groups || open > 0; {
		if begun < c.groups && open < width {
			i, at := begun, time.Now()
			go func() {
				read(i)
				ended <- time.Since(at)
			}()
			begun, open = begun+1, open+1
			continue
		}
		took := <-ended
		open--
		switch {
		case !c.fleet:
		case refused() || took > soon:
			width = first
		default:
			width = min(width+more, c.parallelism)
		}
	}
}

// least is the least time in which the allowance lets all requests through that
// the plan needs, its token requests included. Requests take no time.
func (c allowanceCell) least(began time.Time) time.Duration {
	counted, reads := c.allowance, c.processes*c.groups
	life := c.tokenLife - min(10*time.Second, c.tokenLife/10)
	if counted.Kind == sandbox.Bucket {
		// While a token serves, no more can pass than the whole bucket and what
		// comes in meanwhile.
		interval := counted.Per / time.Duration(counted.Requests)
		most := counted.Requests + int(life/interval)
		renewals := (reads + most - 1) / most
		return max(0, time.Duration(reads+c.processes*renewals-counted.Requests)*interval)
	}
	now, renew := began, began
	for {
		if reads -= counted.Requests; !now.Before(renew) {
			reads += c.processes
			renew = now.Add(life)
		}
		if reads <= 0 {
			return now.Sub(began)
		}
		if now = now.Add(counted.Per); counted.Kind == sandbox.FixedWindow {
			now = now.Truncate(counted.Per)
		}
	}
}

// limitedService carries requests to a sandbox without a connection.
type limitedService struct {
	handler http.Handler

	mu       sync.Mutex
	random   *rand.Rand
	cell     allowanceCell
	began    time.Time
	arrived  int
	refusals int
	tokens   int
}

func (s *limitedService) RoundTrip(request *http.Request) (*http.Response, error) {
	s.mu.Lock()
	half := s.cell.latency.draw(s.random) / 2
	s.mu.Unlock()
	if err := pass(request, half); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	if request.Body == nil {
		request.Body = http.NoBody
	}
	if !s.troubles(recorder) {
		s.handler.ServeHTTP(recorder, request)
	}
	s.mu.Lock()
	if recorder.Code == http.StatusTooManyRequests {
		s.refusals++
	} else if request.Method == http.MethodPost {
		s.tokens++
	}
	s.mu.Unlock()
	if err := pass(request, half); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

// troubles lets others take what they take, and tells whether it answers with a stray 429.
func (s *limitedService) troubles(answer *httptest.ResponseRecorder) (stray bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived++
	t := s.cell.trouble
	if slices.Contains(t.strays, s.arrived) {
		answer.Header().Set("Retry-After", strconv.Itoa(int(t.strayWait/time.Second)))
		answer.WriteHeader(http.StatusTooManyRequests)
		return true
	}
	if at := time.Since(s.began) - t.othersAt; t.others > 0 && at >= 0 && at < t.others {
		for s.othersAsk() && !t.half {
		}
	}
	return false
}

// othersAsk makes a request of the same client id that is none of the run's, and tells whether it was let through.
func (s *limitedService) othersAsk() bool {
	form := strings.NewReader("grant_type=client_credentials&client_id=northwind&client_secret=northwind-sandbox-secret")
	request := httptest.NewRequest(http.MethodPost, catalogue.TokenPath, form)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	return recorder.Code != http.StatusTooManyRequests
}

// pass lets time pass, unless the request ends first.
func pass(request *http.Request, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-request.Context().Done():
		return request.Context().Err()
	}
}

// process is a client with the settings of a user who sets none, and knows whether it was refused.
type process struct {
	*catalogue.Client
	refused atomic.Bool
}

func (s *limitedService) client(t *testing.T) *process {
	t.Helper()
	base, err := url.Parse("https://catalogue.example.com")
	if err != nil {
		t.Fatal(err)
	}
	p := &process{}
	p.Client = catalogue.New(catalogue.Config{
		BaseURL: base, ClientID: "northwind", ClientSecret: "northwind-sandbox-secret",
		RequestTimeout: 30 * time.Second, ReadTimeout: 5 * time.Minute, MaxRetries: 4, Snapshot: true,
		Transport: s,
		Observe: func(_ context.Context, x catalogue.Exchange) {
			if x.Status == http.StatusTooManyRequests {
				p.refused.Store(true)
			}
		},
	})
	return p
}

func groupName(i int) string { return fmt.Sprintf("group-%03d", i) }

// catalogues are parsed once for each number of groups.
var catalogues sync.Map

// groupsOf is a catalogue of so many groups of one model.
func groupsOf(t *testing.T, n int) *sandbox.Catalogue {
	t.Helper()
	if known, ok := catalogues.Load(n); ok {
		return known.(*sandbox.Catalogue) //nolint:forcetypeassert // nothing else is stored
	}
	groups := make([]string, 0, n)
	for i := range n {
		groups = append(groups, fmt.Sprintf(`{"owner": "Northwind", "group": {"id": %q, "name": "Group %d", "public": true},
			"models": [{"id": "%[2]d-1", "revision": 1, "dockerImage": "image:1"}]}`, groupName(i), i))
	}
	parsed, err := sandbox.ParseCatalogue(strings.NewReader(`{
		"organisations": [{"name": "Northwind", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"}],
		"modelGroups": [` + strings.Join(groups, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	catalogues.Store(n, parsed)
	return parsed
}
