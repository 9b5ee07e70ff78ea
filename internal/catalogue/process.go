package catalogue

// process is what concerns all reads of the process.
type process struct {
	proof  *token // its 401 proves a rejection, and is fatal once its body is read; or nil
	fatal  error  // the answer to every read that is not under way, from then on; or nil
	down   outage // of the service: from a read that gave up after all its retries to one that is answered
	usedUp outage // of the allowance: from a read that gave up because of 429s to one that is answered otherwise
}

// outage is a time in which reads that begin make one attempt each. Its moments are counted in questions: how many had
// come by then.
type outage struct {
	began int // 0 outside an outage
	ended int // when the last sign came that it is over
}

// begin begins an outage unless such a sign has come since the question of that order. It reports whether it did.
func (o *outage) begin(order, arrived int) bool {
	if o.began > 0 || order <= o.ended {
		return false
	}
	o.began = arrived
	return true
}

// end ends an outage, and reports whether there was one.
func (o *outage) end(arrived int) bool {
	lasted := o.began > 0
	*o = outage{ended: arrived}
	return lasted
}

// concerns reports whether the question of that order came in the outage.
func (o *outage) concerns(order int) bool { return o.began > 0 && order > o.began }
