package catalogue

// process is the state shared by all reads of the process.
type process struct {
	proof  *token // its 401 proves a rejection, and is fatal once its body is read; or nil
	fatal  error  // answers every waiting and later read, or nil
	down   outage // of the service: begins if a read gives up after all its retries, ends with an answer to a read
	usedUp outage // of the allowance: begins if a read gives up because of 429s, ends with any other status of a read
}

// outage is a period whose new reads make one attempt each. It counts time in questions, by their order of arrival.
type outage struct {
	began int // the last question before the outage, or 0 outside of one
	ended int // the last question before the latest sign that no outage lasts
}

// begin begins an outage unless such a sign has come since the question of that order arrived. It reports whether it
// did.
func (o *outage) begin(order, arrived int) bool {
	if o.began > 0 || order <= o.ended {
		return false
	}
	o.began = arrived
	return true
}

// end records a sign that no outage lasts, and reports whether one did.
func (o *outage) end(arrived int) bool {
	lasted := o.began > 0
	*o = outage{ended: arrived}
	return lasted
}

// concerns reports whether the question of that order arrived in the outage.
func (o *outage) concerns(order int) bool { return o.began > 0 && order > o.began }
