package catalogue_test

import "strings"

// knownViolation is one that a simulation does not fail for.
type knownViolation struct {
	rule, text string // what a violation of the rule holds, "" for any
	overHTTP1  bool   // only where net/http carries the requests
	why        string
}

// simKnown are violations of the client as it stands, by name. Whoever mends one
// takes its line out.
var simKnown = []knownViolation{
	{rule: "words", why: "who shares a call is told the time and the attempts of its first caller"},
	{rule: "cause", text: ":  : no whole answer", why: "a read sent at the instant at which its time is over has no endpoint yet"},
	{rule: "cause", text: "context deadline exceeded", why: "the back-off before a second replacement, and the learned allowance, are no cause yet"},
	{rule: "cause", text: "the service asked to wait", why: "who joins within 100 ms is told that the pause does not fit into the first caller's time"},
	{rule: "forgiven", text: "context deadline exceeded", why: "so readers with little time never get a token: each waits for a back-off of its own"},
	{rule: "forgiven", text: "before the read's time was over", why: "likewise"},
	{rule: "forgiven", text: "auth/token: read tcp", why: "who asks again after a call that he shared counts as one who came in the outage"},
	{rule: "held", why: "the back-off of a second replacement counts from the next read, and a rate from when nothing was to be sent"},
	{rule: "back-off", why: "a request for a token that gave up is made again at once for who waits on"},
	{rule: "attempts", why: "a read that gave up asks again as if it had joined another"},
	{rule: "wait that does not fit", why: "who joins a call with more time than his own is not failed at once"},
	{rule: "ceiling", overHTTP1: true, why: "net/http sends again by itself"},
	{rule: "token current", overHTTP1: true, why: "net/http sends again by itself"},
}

// known tells whether a violation is one of these.
func (p *simPlan) known(v simViolation) bool {
	for _, k := range simKnown {
		if k.rule == v.rule && strings.Contains(v.text, k.text) && (!k.overHTTP1 || p.way == overHTTP1) {
			return true
		}
	}
	return false
}
