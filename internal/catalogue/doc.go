// Package catalogue is the client of the model catalogue service.
//
// [New] makes a client, as the example of this package shows. Make one for a process and share it: its lookups share,
// for as long as it lives, one token, one queue with one pace, and with Snapshot one answer for each question, so that
// whoever asks again sees the same. Failures are not kept, except those that no further request can change: no token
// can be had, the service rejects the tokens, or the organisation is disabled. They answer every lookup from then on.
//
// There are six lookups: [Client.ModelGroup], [Client.LatestModel], [Client.ModelGroups] and [Client.Models], and
// [Client.RefreshModelGroups] and [Client.RefreshModels], which replace a kept answer that is not usable. Each lasts at
// most the read time-out, every wait and retry included. Answers must not be changed. Errors are typed: an [APIError]
// is an answer of the service and matches the sentinels through errors.Is. The other types say why there was none.
//
// It knows nothing of Terraform. INTERFACE.md, which comments name, lies in internal/contract and says in our words
// what the service's interface is.
package catalogue
