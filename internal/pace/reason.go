package pace

// Reason says what a request waits for.
type Reason int

// What a request can wait for.
const (
	Nothing  Reason = iota
	Pause           // the service answered 429, and its Retry-After or the caller's back-off is not over
	Gap             // nothing was let through between the last pauses
	Ceiling         // the operator's max_requests
	InFlight        // the congestion window: as many are in flight as may be after a pause
)

var reasons = [...]string{
	Nothing: "nothing", Pause: "the pause that the service asked for", Ceiling: "max_requests",
	InFlight: "answers to the requests in flight", Gap: "a gap, because the service let nothing through after its pause",
}

// String returns what is waited for, in words for a log.
func (r Reason) String() string { return reasons[r] }
