package catalogue

// reason says what a request waits for.
type reason int

const (
	waitsForNothing   reason = iota
	waitsForPause            // the service answered 429, and its Retry-After or the caller's back-off is not over
	waitsForCeiling          // max_requests
	waitsForAllowance        // the allowance learned from refusals is used up
	waitsForAnswer           // slow start: an answer to a request under way decides
)

// String is the reason in the words of the log.
func (r reason) String() string {
	switch r {
	case waitsForPause:
		return "the service asked for a pause"
	case waitsForCeiling:
		return "max_requests"
	case waitsForAllowance:
		return "the allowance learned from refusals is used up"
	case waitsForAnswer:
		return "slow start after a refusal"
	default:
		return "nothing"
	}
}
