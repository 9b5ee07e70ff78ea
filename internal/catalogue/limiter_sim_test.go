package catalogue

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// The limiter is judged by a simulation of discrete events: processes with a
// queue of reads each, a service that counts requests, and a latency. There is
// no clock and no goroutine in it, so that a run takes less than a millisecond.

// simAllowance is how the service counts: n requests in each window, by kind.
type simAllowance struct {
	kind   string // fixed, sliding, bucket
	n      int
	window time.Duration
}

func (a simAllowance) String() string { return fmt.Sprintf("%s %d/%v", a.kind, a.n, a.window) }

// simLatency is how long an answer takes.
type simLatency struct {
	name string
	draw func(r *rand.Rand) time.Duration
	mean time.Duration
}

func constantLatency(d time.Duration) simLatency {
	return simLatency{name: d.String(), draw: func(*rand.Rand) time.Duration { return d }, mean: d}
}

var (
	// jittered is 50 to 550 ms.
	jittered = simLatency{name: "jitter", mean: 300 * time.Millisecond, draw: func(r *rand.Rand) time.Duration {
		return 50*time.Millisecond + time.Duration(r.Int64N(int64(500*time.Millisecond)))
	}}
	// heavy has one answer in a hundred above a second, up to 10 s.
	heavy = simLatency{name: "heavy", mean: 147 * time.Millisecond, draw: func(r *rand.Rand) time.Duration {
		return min(time.Duration(50*math.Pow(1-r.Float64(), -1/1.5))*time.Millisecond, 10*time.Second)
	}}
	simLatencies = []simLatency{
		constantLatency(20 * time.Millisecond), constantLatency(300 * time.Millisecond), constantLatency(time.Second), jittered, heavy,
	}
)

// simPlan is one run: what is asked for and of whom.
type simPlan struct {
	allowance   simAllowance
	processes   int
	reads       int // of each process
	parallelism int
	tokenLife   time.Duration
	latency     simLatency
	ceiling     float64
	changesAt   time.Duration // when the allowance becomes changesTo, 0: never
	changesTo   int
	stray       int  // which request gets a 429 with Retry-After 30 although there is plenty, 0: none
	unnamed     bool // the 429s have no Retry-After, and the process backs off by 1, 2, 4 … 30 s
}

// simOutcome is what a run came to.
type simOutcome struct {
	end      time.Duration // the last answer of the last process
	least    time.Duration // the least that the allowance and the latency permit
	refusals int
	accepted int           // token requests included
	longest  time.Duration // the longest that a read took, from when a reader was free for it
	err      error
}

type simEvent struct {
	at      time.Duration
	order   int // among those of one instant
	process int
	kind    int // wake, arrival, answer
	sent    time.Duration
	token   bool
	wait    time.Duration // of a refusal, 0: accepted
	asked   time.Duration // latency left after the arrival
}

const (
	simWake = iota
	simArrival
	simAnswer
)

// simService counts requests.
type simService struct {
	simAllowance
	phase  time.Duration
	index  int64 // fixed: the window that used belongs to
	used   int
	passed []time.Duration // sliding
	level  float64         // bucket
	at     time.Duration
}

// admit returns how long the request has to wait, 0 where it is let through.
func (s *simService) admit(now time.Duration) time.Duration {
	whole := func(d time.Duration) time.Duration {
		return max((d + time.Second - 1).Truncate(time.Second), time.Second)
	}
	switch s.kind {
	case "fixed":
		if index := int64((now + s.phase) / s.window); index != s.index {
			s.index, s.used = index, 0
		}
		if s.used < s.n {
			s.used++
			return 0
		}
		return whole(time.Duration(s.index+1)*s.window - s.phase - now)
	case "sliding":
		for len(s.passed) > 0 && s.passed[0]+s.window <= now {
			s.passed = s.passed[1:]
		}
		if len(s.passed) < s.n {
			s.passed = append(s.passed, now)
			return 0
		}
		return whole(s.passed[len(s.passed)-s.n] + s.window - now)
	default:
		rate := float64(s.n) / s.window.Seconds()
		s.level = min(s.level+(now-s.at).Seconds()*rate, float64(s.n))
		s.at = now
		if s.level > 1-1e-9 {
			s.level--
			return 0
		}
		return whole(time.Duration((1 - s.level) / rate * float64(time.Second)))
	}
}

// least is how long it takes at least until so many requests are let through.
func (s *simService) least(requests int) time.Duration {
	windows := (requests+s.n-1)/s.n - 1
	whole := time.Duration(float64(windows) * float64(s.window))
	switch {
	case windows <= 0:
		return 0
	case s.kind == "fixed":
		return whole - s.phase
	case s.kind == "sliding":
		return whole
	default:
		return time.Duration(float64(requests-s.n) * float64(s.window) / float64(s.n))
	}
}

type simProcess struct {
	l         *limiter
	todo      int             // reads that wait for their turn
	busy      int             // reads and token requests under way
	done      []time.Duration // when each read was answered
	renewing  bool
	expires   time.Duration // of the token
	wakes     time.Duration // when the next wake comes, 0: none
	sent      time.Duration // when the last request was sent
	unnamed   int           // refusals in a row that named no wait
	backedOff time.Duration // when the last of them came
}

// simulate runs a plan.
func simulate(p simPlan, seed uint64) (out simOutcome) {
	var (
		random  = rand.New(rand.NewPCG(seed, 1))
		epoch   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		service = &simService{simAllowance: p.allowance, level: float64(p.allowance.n), index: -1}
		events  []simEvent // the next one last
		order   int
		arrived int
	)
	service.phase = time.Duration(random.Int64N(int64(p.allowance.window)))
	push := func(e simEvent) {
		order++
		e.order = order
		i, _ := slices.BinarySearchFunc(events, e, func(a, b simEvent) int {
			return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.order, a.order))
		})
		events = slices.Insert(events, i, e)
	}
	all := make([]*simProcess, max(p.processes, 1))
	for i := range all {
		all[i] = &simProcess{l: newLimiter(p.ceiling), todo: p.reads, expires: -1}
		push(simEvent{at: time.Duration(random.Int64N(int64(50 * time.Millisecond))), process: i})
	}
	act := func(now time.Duration, id int) {
		q := all[id]
		for {
			token := now >= q.expires
			if q.todo == 0 || q.renewing || q.busy >= p.parallelism {
				return
			}
			at, _, ok := q.l.next(epoch.Add(now), q.busy, false)
			if !ok {
				if q.busy == 0 {
					out.err = fmt.Errorf("at %v it waits for an answer, and none is under way", now)
				}
				return
			}
			if wake := at.Sub(epoch); wake > now {
				if q.wakes <= now || wake < q.wakes {
					q.wakes = wake
					// Nobody wakes on the dot.
					push(simEvent{at: wake + time.Duration(random.Int64N(int64(time.Millisecond))), process: id})
				}
				return
			}
			if at, _, ok := q.l.next(epoch.Add(now), q.busy, false); at.After(epoch.Add(now)) || !ok {
				continue
			}
			if epoch.Add(now).Before(q.l.pausedUntil()) {
				out.err = fmt.Errorf("at %v it sends in a pause", now)
			}
			if gap := (now - q.sent).Seconds(); p.ceiling > 0 && q.sent > 0 && gap*p.ceiling < 1-1e-6 {
				out.err = fmt.Errorf("at %v it sends %v s after the one before", now, gap)
			}
			q.sent = now
			mark := q.l.sent(epoch.Add(now)).Sub(epoch)
			q.busy++
			if token {
				q.renewing = true
			} else {
				q.todo--
			}
			latency := p.latency.draw(random)
			way := latency / 2
			push(simEvent{at: now + way, process: id, kind: simArrival, sent: mark, token: token, asked: latency - way})
		}
	}
	for len(events) > 0 && out.err == nil {
		e := events[len(events)-1]
		events = events[:len(events)-1]
		now, q := e.at, all[e.process]
		switch e.kind {
		case simWake:
			if q.wakes > 0 && now < q.wakes {
				continue
			}
			q.wakes = 0
		case simArrival:
			arrived++
			if p.changesAt > 0 && now >= p.changesAt {
				service.n = p.changesTo
			}
			e.wait = 0
			if arrived == p.stray {
				e.wait = 30 * time.Second
			} else {
				e.wait = service.admit(now)
			}
			e.at, e.kind = now+e.asked, simAnswer
			push(e)
			continue
		case simAnswer:
			q.busy--
			if e.token {
				q.renewing = false
			}
			if e.wait > 0 {
				out.refusals++
				if !e.token {
					q.todo++
				}
				if p.unnamed {
					e.wait = min(time.Second<<min(q.unnamed, 5), 30*time.Second)
					if e.sent >= q.backedOff {
						q.unnamed, q.backedOff = q.unnamed+1, now
					}
				}
				q.l.refused(epoch.Add(e.sent), epoch.Add(now), e.wait, !p.unnamed)
				break
			}
			q.unnamed = 0
			out.accepted++
			q.l.answered(epoch.Add(e.sent))
			out.end = now
			if e.token {
				// It is renewed by a margin before its end.
				q.expires = e.sent + p.tokenLife - min(10*time.Second, p.tokenLife/10)
			} else {
				q.done = append(q.done, now)
				began := time.Duration(0)
				if before := len(q.done) - 1 - p.parallelism; before >= 0 {
					began = q.done[before]
				}
				out.longest = max(out.longest, now-began)
			}
		}
		act(now, e.process)
		if now > 24*time.Hour {
			out.err = fmt.Errorf("it stalls")
		}
	}
	for i, q := range all {
		if len(q.done) != p.reads && out.err == nil {
			out.err = fmt.Errorf("process %d has %d of %d reads", i, len(q.done), p.reads)
		}
	}
	service.n = p.allowance.n
	out.least = service.least(out.accepted)
	if p.changesAt > 0 {
		// What is left when it changes comes at the new rate.
		left := float64(out.accepted-service.n) - float64(service.n)*p.changesAt.Seconds()/service.window.Seconds()
		out.least = p.changesAt + time.Duration(max(left, 0)*float64(service.window)/float64(p.changesTo))
	}
	if p.stray > 0 {
		out.least += 30 * time.Second
	}
	busy := time.Duration(float64(p.reads) / float64(p.parallelism) * float64(p.latency.mean))
	out.least = max(out.least, busy+p.latency.mean)
	if p.ceiling > 0 {
		out.least = max(out.least, time.Duration(float64(p.reads)/p.ceiling*float64(time.Second)))
	}
	return out
}
