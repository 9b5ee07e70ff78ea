package sandboxtest

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Shuffle makes answers come in another order until stop is called: the elements
// of a list that is an answer, and the members of every JSON object, at any
// depth. The lists inside a document keep their order. One seed gives one order
// for one answer. It is a fault ([sandbox.Sandbox.Inject]), so that faults
// injected later do not hit what it changes.
//
// For the models of a group this goes further than the interface, which orders
// by revision but leaves the direction open.
func Shuffle(service *sandbox.Sandbox, seed int64) (stop func()) {
	shuffle := func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		hash := fnv.New64a()
		_, _ = hash.Write(body)
		order := rand.New(rand.NewPCG(uint64(seed), hash.Sum64())) //nolint:gosec // any 64 bits are a seed
		var list []jsontext.Value
		if jsontext.Value(body).Kind() == jsontext.KindBeginArray && json.Unmarshal(body, &list) == nil {
			order.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			body = must(json.Marshal(list))
		}
		return status, header, shuffleMembers(order, body)
	}
	return service.Inject(sandbox.Fault{Mutate: shuffle})
}

func shuffleMembers(order *rand.Rand, raw jsontext.Value) jsontext.Value {
	var (
		members map[string]jsontext.Value
		list    []jsontext.Value
	)
	switch {
	case raw.Kind() == jsontext.KindBeginObject && json.Unmarshal(raw, &members) == nil:
		names := slices.Sorted(maps.Keys(members))
		order.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		text := []byte("{")
		for i, name := range names {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(append(text, must(json.Marshal(name))...), ':')
			text = append(text, shuffleMembers(order, members[name])...)
		}
		return append(text, '}')
	case raw.Kind() == jsontext.KindBeginArray && json.Unmarshal(raw, &list) == nil:
		for i := range list {
			list[i] = shuffleMembers(order, list[i])
		}
		return must(json.Marshal(list))
	}
	return raw
}

// must is for what cannot fail, such as writing values that were JSON before.
func must(text []byte, err error) []byte {
	if err != nil {
		panic("sandboxtest: " + err.Error())
	}
	return text
}
