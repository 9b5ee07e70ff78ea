package catalogue

import (
	"errors"
)

// answers are the questions that are asked once, so that all callers of one process see the same answer. An
// answer is kept, and so is a final refusal, which asking again does not change (INTERFACE.md, Client handling rules).
// The zero answers share and keep nothing.
type answers struct {
	shared map[Endpoint]*question // those that others may join; nil if every call asks afresh
	kept   map[Endpoint]ended
}

// share lets other callers join a question.
func (k *answers) share(q *question) {
	if k.shared != nil {
		k.shared[q.to] = q
	}
}

// keep keeps how a question ended, for callers who ask it later. A fault of the network may pass, so it is not kept.
func (k *answers) keep(q *question, got ended) {
	_, noAnswer := errors.AsType[*NetworkError](got.err)
	if k.kept != nil && !noAnswer {
		k.kept[q.to] = got
	}
}
