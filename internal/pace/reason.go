package pace

// Reason says what a request waits for.
type Reason int

// What a request can wait for.
const (
	Nothing   Reason = iota
	Pause            // the service answered 429, and its Retry-After or the caller's back-off is not over
	Ceiling          // the operator's max_requests
	Allowance        // the allowance that refusals taught is used up
	InFlight         // the congestion window: as many are in flight as may be after a pause
)

// String is what is waited for, as the log says it.
func (r Reason) String() string {
	switch r {
	case Pause:
		return "the pause that the service asked for"
	case Ceiling:
		return "max_requests"
	case Allowance:
		return "the allowance that refusals taught"
	case InFlight:
		return "an answer, as always after a pause"
	default:
		return "nothing"
	}
}
