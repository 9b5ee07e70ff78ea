package catalogue_test

import (
	"slices"
	"time"
)

// oneTokenRequestAtATime is the first half of DESIGN.md, invariant 2.
func (c *simCheck) oneTokenRequestAtATime() {
	var last *simRequest
	for _, x := range c.requests {
		if !x.token {
			continue
		}
		if c.plan.accessToken {
			c.fail("request %d asks for a token, though one is given", x.number)
		}
		if last != nil && x.sentAt < last.endAt {
			c.fail("request %d was sent at %s, while request %d was under way until %s", x.number, x.sentAt, last.number, last.endAt)
		}
		last = x
	}
}

// tokens are those of the process, in the order in which it asked for them.
func (c *simCheck) tokens() []*simToken {
	var all []*simToken
	for _, x := range c.requests {
		if x.issued != nil && x.issued.known != never {
			all = append(all, x.issued)
		}
	}
	return all
}

// before is the token that t was asked for in place of, nil where there was none.
func (c *simCheck) before(t *simToken) *simToken {
	var found *simToken
	for _, other := range c.tokens() {
		if other.number < t.number && other.known <= t.asked {
			found = other
		}
	}
	return found
}

// renewed is when a token is replaced because it ends, never where that is when it
// is refused.
func (t *simToken) renewed() time.Duration {
	if t.stated == 0 {
		return never
	}
	return t.asked + t.stated - min(10*time.Second, t.stated/10)
}

// over tells whether the client knows that a token's life is over at that moment.
func (t *simToken) over(at time.Duration) bool { return t.stated > 0 && at >= t.asked+t.stated }

// noNeedlessTokenRequest wants one token request for one refusal or end.
func (c *simCheck) noNeedlessTokenRequest() {
	for _, x := range c.requests {
		if !x.token {
			continue
		}
		var current *simToken
		for _, token := range c.tokens() {
			if token.known < x.sentAt {
				current = token
			}
		}
		if current == nil || current.refused != never && current.refused <= x.sentAt {
			continue
		}
		renew := current.renewed()
		if lived := c.lived(x.sentAt); renew == never && lived != never {
			renew = current.asked + lived*9/10 // of a life that is not told, the end of others is known
		}
		if renew == never || x.sentAt < renew {
			c.fail("request %d was sent at %s, though token %d was known since %s, stated to live %s and not refused",
				x.number, x.sentAt, current.number, current.known, current.stated)
		}
	}
}

// lived is the shortest time after which a token was refused that had served,
// never where there was none.
func (c *simCheck) lived(until time.Duration) time.Duration {
	least := never
	for _, t := range c.tokens() {
		if t.refused == never || t.refused > until || t.stated > 0 {
			continue
		}
		if age := t.refused - t.asked; least == never || age < least {
			least = age
		}
	}
	return least
}

// inARow is how many tokens in a row were refused up to that moment, none of which
// served a read.
func (c *simCheck) inARow(at time.Duration) (refused int) {
	for _, t := range slices.Backward(c.tokens()) {
		if t.refused == never || t.refused > at {
			continue
		}
		if refused++; c.served(at+1, t) {
			return refused
		}
	}
	return refused
}

// noReadWithABadToken is the other half of invariant 2. A token that is over when
// it comes serves one read.
func (c *simCheck) noReadWithABadToken() {
	served := map[*simToken]bool{}
	refused := func(t *simToken, at time.Duration) bool { // in this process: another may share it
		return slices.ContainsFunc(c.requests, func(y *simRequest) bool {
			return y.bearer == t && y.unauthorized() && y.headerAt != never && y.headerAt < at
		})
	}
	for _, x := range c.requests {
		switch t := x.bearer; {
		case x.token:
		case t == nil:
			c.fail("request %d was sent with no token of the service", x.number)
		case refused(t, x.sentAt):
			c.fail("request %d was sent at %s with token %d, which was refused at %s", x.number, x.sentAt, t.number, t.refused)
		case t.over(x.sentAt) && (served[t] || !t.over(t.known)):
			c.fail("request %d was sent at %s with token %d, asked for at %s to live %s", x.number, x.sentAt, t.number, t.asked, t.stated)
		default:
			served[t] = true
		}
	}
}

// noTokensWithoutReads: after three tokens in a row that no read was sent with,
// those who waited are told so. A pause or the ceiling may outlast a token.
func (c *simCheck) noTokensWithoutReads() {
	var unused []*simRequest
	for i, x := range c.requests {
		// Of two requests of one instant either may have been first.
		if !x.token || i+1 < len(c.requests) && !c.requests[i+1].token && c.requests[i+1].sentAt == x.sentAt {
			unused = nil
		}
		if !x.token || !x.whole() || x.issued == nil || x.issued.known == never {
			continue
		}
		if unused = append(unused, x); len(unused) <= 3 {
			continue
		}
		first := unused[len(unused)-4]
		waits := func(r *simReading) bool { return r.start <= first.sentAt && r.end > x.sentAt }
		kept := slices.ContainsFunc(unused[len(unused)-4:len(unused)-1], c.keptFromUse)
		if slices.ContainsFunc(c.readings, waits) && !kept {
			c.fail("request %d is the fourth for a token in a row, and no read was sent with any of them", x.number)
			return
		}
	}
}

// keptFromUse tells whether a pause or the ceiling outlasted a token from the
// moment when it came.
func (c *simCheck) keptFromUse(x *simRequest) bool {
	t := x.issued
	if t.over(t.known) {
		return false // it serves one read, whenever that is sent
	}
	until := t.renewed()
	if until == never {
		return true
	}
	if slices.ContainsFunc(c.requests, func(y *simRequest) bool {
		_, most := c.pauseEnds(y)
		return y.limited() && y.headerAt != never && y.headerAt <= until && most >= t.known
	}) {
		return true
	}
	if allowance := c.plan.service.allowance; allowance.kind != "" && allowance.per/time.Duration(allowance.requests)*2 > until-t.known {
		return true // two requests do not fit into its life
	}
	n := c.plan.ceiling.Requests
	return n > 0 && c.plan.ceiling.Per >= until-t.known
}

// refusals are the 401s of a call up to and with x, in their order.
func (c *simCheck) refusals(x *simRequest) []*simRequest {
	for _, call := range c.calls {
		if i := slices.Index(call.requests, x); i >= 0 {
			return slices.DeleteFunc(slices.Clone(call.requests[:i+1]), func(y *simRequest) bool { return !y.unauthorized() })
		}
	}
	return nil
}

// served tells whether a read with one of the tokens was let through before that
// moment. Without a token it asks for any.
func (c *simCheck) served(at time.Duration, tokens ...*simToken) bool {
	return slices.ContainsFunc(c.requests, func(y *simRequest) bool {
		return y.served() && y.headerAt < at && (len(tokens) == 0 || slices.Contains(tokens, y.bearer))
	})
}

// replaced tells whether t was asked for because the token before it was refused.
func (c *simCheck) replaced(t *simToken) bool {
	before := c.before(t)
	return before != nil && before.refused != never && before.refused <= t.asked
}

// mayProve tells whether the 401 to a read can prove that the credentials are
// rejected (DESIGN.md, "One token"). The service knows how long a token lives, and the
// client does not always.
func (c *simCheck) mayProve(x *simRequest) bool {
	if !x.unauthorized() || x.headerAt == never {
		return false
	}
	if c.plan.accessToken {
		return true
	}
	all := c.refusals(x)
	if len(all) < 2 || x.bearer == nil {
		return false
	}
	current := func(t *simToken) bool { return (t.ends == 0 || x.sentAt < t.ends) && !t.over(x.sentAt) }
	t := x.bearer
	if t != all[0].bearer && all[0].headerAt <= t.asked && c.replaced(t) && !c.served(x.headerAt, t) && current(t) {
		if !c.served(x.headerAt) {
			return true
		}
		// Another token has served: two replacements in a row, with a back-off between.
		if p := c.before(t); c.replaced(p) && !c.served(x.headerAt, p) && t.asked >= p.refused+time.Second {
			return true
		}
	}
	var own []*simToken
	for _, y := range all {
		own = append(own, y.bearer)
	}
	return len(all) >= 3 && !c.served(x.headerAt, own...)
}

// mustProve tells whether it does: for certain, and by what the client knows.
func (c *simCheck) mustProve(x *simRequest) bool {
	if !c.mayProve(x) || x.left || !x.delivered {
		return false
	}
	if c.plan.accessToken {
		return true
	}
	// It never had an answer that may have shown a token to be good.
	if slices.ContainsFunc(c.requests, func(y *simRequest) bool {
		return !y.token && y.headerAt != never && y.headerAt <= x.headerAt && !y.unauthorized()
	}) {
		return false
	}
	all := c.refusals(x)
	if len(all) >= 3 {
		return true
	}
	t := x.bearer
	p := c.before(t)
	because := p != nil && p == all[0].bearer && (p.renewed() == never || t.asked < p.renewed())
	return because && t.stated > 0 && x.sentAt < t.asked+t.stated-time.Second
}

// ends is when the whole process ends, and because of which request; never where
// it does not.
func (c *simCheck) ends() (at time.Duration, why *simRequest) {
	at = never
	for _, x := range c.requests {
		if x.left || !x.delivered || x.endAt == never {
			continue
		}
		ended := x.endAt
		for _, y := range c.requests {
			// The words of another proof may still be on their way.
			if c.mustProve(x) && y.headerAt != never && y.headerAt <= x.endAt && c.mayProve(y) {
				ended = max(ended, y.endAt)
			}
		}
		disabled := !x.token && !x.cut && x.status == 403 && x.code == "ORGANISATION_DISABLED"
		if (disabled || c.final(x) || c.mustProve(x)) && (at == never || ended < at) {
			at, why = ended, x
		}
	}
	return at, why
}

// silentOnceEnded: once the credentials are rejected, the organisation is disabled
// or no token is to be had, nothing is sent, and everybody is told the same at
// once.
func (c *simCheck) silentOnceEnded() {
	at, why := c.ends()
	var first *simReading
	for _, r := range c.readings {
		if processEnd(r.err) && (first == nil || r.end < first.end) {
			first = r
		}
	}
	if first != nil && (at == never || first.end < at) {
		at = first.end
	}
	if at == never {
		return
	}
	cause := "a reader was told so"
	if why != nil {
		cause = why.String()
	}
	for _, x := range c.requests {
		if x.sentAt > at {
			c.fail("request %d was sent at %s, after the end of the process at %s: %s", x.number, x.sentAt, at, cause)
			break
		}
	}
	for _, r := range c.readings {
		if r.end <= at || r.cancelled {
			continue
		}
		latest := max(at, r.start)
		for _, x := range c.requests {
			if r.path == x.path && x.sentAt <= at && x.endAt >= at {
				latest = max(latest, x.endAt)
			}
		}
		if r.end > latest {
			c.fail("reader %d ended at %s, though the process ended for all at %s: %s", r.reader.index, r.end, at, cause)
		}
		if r.start > at && r.err != nil && !processEnd(r.err) {
			c.fail("reader %d is told %v, after the end of the process at %s: %s", r.reader.index, r.err, at, cause)
		}
	}
}
