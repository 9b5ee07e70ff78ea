package pace

import "time"

type Reason int

const (
	Nothing Reason = iota
	Pause
	Ceiling
	Allowance
	InFlight
)

func (r Reason) String() string { return [...]string{"nothing", "pause", "max_requests", "allowance", "in flight"}[r] }

type Pace struct {
	ceiling  Limit
	log      []time.Time
	until    time.Time
	refusals int
}

func New(ceiling Limit) *Pace { return &Pace{ceiling: ceiling} }
func (p *Pace) Next(now time.Time, token bool) (time.Time, Reason) {
	if p.until.After(now) {
		return p.until, Pause
	}
	if n := p.ceiling.Requests; n > 0 && len(p.log) >= n {
		if at := p.log[len(p.log)-n].Add(p.ceiling.Per); at.After(now) {
			return at, Ceiling
		}
	}
	return now, Nothing
}
func (p *Pace) Sent(now time.Time) int       { if p.ceiling.Requests > 0 { p.log = append(p.log, now) }; return 1 }
func (p *Pace) Answered(int, time.Time)      {}
func (p *Pace) Refused(_ int, now time.Time, wait time.Duration, named bool) {
	p.refusals++
	if u := now.Add(wait); u.After(p.until) {
		p.until = u
	}
}
func (p *Pace) TokenLife(time.Duration, bool) {}
func (p *Pace) PausedUntil() time.Time        { return p.until }
func (p *Pace) Refusals() int                 { return p.refusals }
func (p *Pace) String() string                { return "unknown" }
