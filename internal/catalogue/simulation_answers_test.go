package catalogue_test

// answersAreTheRecords: what a reader has is what the service sent for it.
func (c *simCheck) answersAreTheRecords() {
	for _, r := range c.readings {
		if (r.answer == "") == (r.err == nil) {
			c.fail("reader %d has the answer %q and the error %v", r.reader.index, r.answer, r.err)
			continue
		}
		if r.answer == "" {
			continue
		}
		found := false
		for _, x := range c.requests {
			afresh := c.plan.snapshot || x.reader == r.reader.index && x.sentAt >= r.start
			found = found || x.path == r.path && x.whole() && x.headerAt <= r.end && afresh && x.answer == r.answer
		}
		if !found {
			c.fail("reader %d has %q, which no answer for %s told it", r.reader.index, r.answer, r.path)
		}
	}
}

// oneSnapshot: under snapshot readers agree, and a question that was answered is
// not asked again, nor twice at once, but for a revision that it lacked.
func (c *simCheck) oneSnapshot() {
	if !c.plan.snapshot {
		return
	}
	known := map[string]string{}
	for _, r := range c.readings {
		if r.answer == "" || r.reader.source == "pinned" {
			continue
		}
		if other, ok := known[r.path]; ok && other != r.answer && !c.askedAgain(r.path) {
			c.fail("reader %d has %q for %s, another %q", r.reader.index, r.answer, r.path, other)
		}
		known[r.path] = r.answer
	}
	last := map[string]*simRequest{}
	for _, x := range c.requests {
		if x.token {
			continue
		}
		if before := last[x.path]; before != nil {
			if x.sentAt < before.endAt {
				c.fail("requests %d and %d for %s were under way at once", before.number, x.number, x.path)
			}
			if before.answer != "" && before.whole() && !before.left && x.sentAt > before.endAt && !c.missed(before, x) {
				c.fail("request %d asks %s again, which request %d had answered", x.number, x.path, before.number)
			}
		}
		last[x.path] = x
	}
}

// missed tells whether somebody who came after an answer lacked his revision in
// it when it was asked for again.
func (c *simCheck) missed(before, again *simRequest) bool {
	for _, r := range c.readings {
		if r.path == again.path && r.start >= before.endAt && r.start <= again.sentAt && r.end >= again.sentAt && r.lacks(before.answer) {
			return true
		}
	}
	return false
}

// askedAgain tells whether a question was asked again because of a revision.
func (c *simCheck) askedAgain(path string) bool {
	whole := 0
	for _, x := range c.requests {
		if x.path == path && x.answer != "" && x.whole() {
			whole++
		}
	}
	return whole > 1
}

// absenceIsAskedAgain: an answer from before a read began cannot prove that a
// revision is absent.
func (c *simCheck) absenceIsAskedAgain() {
	for _, r := range c.readings {
		if r.answer == "" || !r.lacks(r.answer) {
			continue
		}
		proven := false
		for _, x := range c.requests {
			proven = proven || x.path == r.path && x.whole() && x.answer == r.answer && x.endAt >= r.start && x.endAt <= r.end
		}
		if !proven {
			c.fail("reader %d, which came at %s, is told %q without revision %d, and all answers were from before",
				r.reader.index, r.start, r.answer, r.reader.revision)
		}
	}
}
