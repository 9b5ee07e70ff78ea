package catalogue_test

import "strings"

// knownViolation is one that a simulation does not fail for.
type knownViolation struct {
	rule, text string // what a violation of the rule holds, "" for any
	why        string
}

// simKnown are violations of the client as it stands, by name. Whoever mends one
// takes its line out.
var simKnown = []knownViolation{
	{rule: "cause", text: "context deadline exceeded", why: "the back-off before a second replacement, and the learned allowance, are no cause yet"},
	{rule: "forgiven", text: "context deadline exceeded", why: "likewise: where reads have little time, none gets a token"},
	{rule: "back-off", why: "a request for a token that nobody waited for begins its back-off anew"},
	{rule: "held", why: "the back-off of a second replacement counts from the next read, and a rate from when nothing was to be sent"},
}

// known tells whether a violation is one of these.
func known(v simViolation) bool {
	for _, k := range simKnown {
		if k.rule == v.rule && strings.Contains(v.text, k.text) {
			return true
		}
	}
	return false
}
