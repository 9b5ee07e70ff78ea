package provider

import "fmt"

// blame says which credentials were refused: where each comes from, what looks
// wrong with it, and what was passed over for it.
func (m *message) blame(used []credential) {
	for _, c := range used {
		for _, oddity := range c.oddities {
			m.add("The value of %s %s. That may be the reason.", c.argument, oddity)
		}
	}
	for _, c := range used {
		switch set := c.origin.over; len(set) {
		case 0:
		case 1:
			m.add("%s is set as well, and %s goes before it.", set[0], c.origin)
		default:
			m.add("%s are set as well, and %s goes before them.", enumerated(set), c.origin)
		}
	}
	m.next = fmt.Sprintf("Check %s, and that both are meant for the service at base_url.", namedWithOrigin(used))
	if m.summary == summaryTokenRejected {
		m.next = fmt.Sprintf("Check %s, and that it is meant for the service at base_url. Tokens expire: get a new one. "+
			"The provider cannot renew a token that it is given, so for runs that take longer than a token lives give "+
			"client_id and client_secret in its place.", namedWithOrigin(used))
	}
}

// namedWithOrigin names credentials, each with where it comes from.
func namedWithOrigin(used []credential) string {
	switch {
	case len(used) == 1:
		return used[0].argument + ", " + used[0].origin.clause()
	case len(used) != 2:
		return "the credentials"
	case used[0].origin.block && used[1].origin.block:
		return fmt.Sprintf("%s and %s, %s", used[0].argument, used[1].argument, used[0].origin.clause())
	}
	return fmt.Sprintf("%s, %s, and %s, %s",
		used[0].argument, used[0].origin.clause(), used[1].argument, used[1].origin.clause())
}
