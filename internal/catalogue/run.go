package catalogue

// run is what concerns all reads of the process.
type run struct {
	proof  *token // its 401 proves a rejection, and ends the run once its body is read; or nil
	over   error  // the answer to every read
	down   outage // of the service: from a read that gave up after all its retries to one that is answered
	usedUp outage // of the allowance: from a read that gave up because of 429s to one that is answered otherwise
}

// outage is a time in which reads that begin make one attempt each. Its moments are numbers of flights that had come.
type outage struct {
	began int // 0 outside an outage
	ended int // when the last sign came that it is over
}

// begin begins an outage unless such a sign has come since a flight came. It reports whether it did.
func (o *outage) begin(came, now int) bool {
	if o.began > 0 || came <= o.ended {
		return false
	}
	o.began = now
	return true
}

// end ends an outage, and reports whether there was one.
func (o *outage) end(now int) bool {
	lasted := o.began > 0
	*o = outage{ended: now}
	return lasted
}

// holds reports whether a flight came in the outage.
func (o *outage) holds(came int) bool { return o.began > 0 && came > o.began }
