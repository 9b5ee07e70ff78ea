package catalogue

import "errors"

// answers makes all callers of one process see the same answer to a question: it is asked once. An answer is kept, and
// so is a final refusal, because asking again does not change it (INTERFACE.md, Client handling rules). The zero value
// shares and keeps nothing.
type answers struct {
	shared map[Endpoint]*question // unfinished ones, for other callers to join; nil if every call asks afresh
	kept   map[Endpoint]ended
}

// share lets other callers join a question.
func (k *answers) share(q *question) {
	if k.shared != nil {
		k.shared[q.to] = q
	}
}

// keep keeps the end of a question for later callers. A fault of the network may pass, so it is not kept.
func (k *answers) keep(q *question, got ended) {
	_, noAnswer := errors.AsType[*NetworkError](got.err)
	if k.kept != nil && !noAnswer {
		k.kept[q.to] = got
	}
}
