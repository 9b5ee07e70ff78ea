package sandbox

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Shuffle makes answers come in another order from now on: the elements of
// /v1/model-group and /v1/model-group/:id/models, and the members of every
// JSON object, at any depth. The lists inside a document keep their order. One
// seed gives one order for one request.
//
// For /models this goes further than the interface, which orders by revision
// but leaves the direction open.
func (s *Sandbox) Shuffle(seed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shuffled, s.seed = true, seed
}

func (s *Sandbox) shuffle(x *exchange, a *answer) *answer {
	s.mu.Lock()
	shuffled, seed := s.shuffled, s.seed
	s.mu.Unlock()
	if !shuffled {
		return a
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(x.request.URL.RequestURI()))
	order := rand.New(rand.NewPCG(uint64(seed), hash.Sum64())) //nolint:gosec // an order to repeat, not a secret
	if a.list != nil {
		list := slices.Clone(a.list)
		order.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		a.body = array(list)
	}
	a.body = shuffleMembers(order, a.body)
	return a
}

func shuffleMembers(order *rand.Rand, raw jsontext.Value) jsontext.Value {
	switch raw.Kind() {
	case jsontext.KindBeginObject:
		o, err := parseObject(raw)
		if err != nil {
			return raw
		}
		for i := range o {
			o[i].value = shuffleMembers(order, o[i].value)
		}
		order.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		return o.json()
	case jsontext.KindBeginArray:
		list := elements(raw)
		for i := range list {
			list[i] = shuffleMembers(order, list[i])
		}
		return array(list)
	}
	return raw
}
