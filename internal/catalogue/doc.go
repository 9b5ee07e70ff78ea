// Package catalogue is the client of the model catalogue service.
//
// [New] makes a client, as the example of this package shows. Make one for a process and share it: its lookups share
// one token, one queue with one pace, and with Snapshot one answer for each question, so that a caller that asks again
// sees the same answer. A final refusal is kept in the same way. Some failures answer every later lookup, because
// further requests cannot change them: the service does not issue a token, rejects its tokens, or has disabled the
// organisation. Failures that may pass are not kept.
//
// There are four lookups: [Client.ModelGroup], [Client.LatestModel], [Client.ModelGroups] and [Client.Models].
// [Client.Raw] reads a list in the same way, and leaves its elements as they are. Each call lasts at most the read
// time-out, every wait and retry included. Answers must not be changed. Errors are typed: an [APIError] is an answer of
// the service and matches the sentinels through errors.Is. The other types give the reason for a missing answer.
//
// Inside, a scheduler decides when each request is sent, and how each question ends. It is pure: events go in, and
// actions come out. A dispatcher has the lock, the clock and the goroutines. Begin at events.go.
//
// It knows nothing of Terraform. INTERFACE.md, which comments name, is in internal/contract and describes the
// service's interface in our words.
package catalogue
