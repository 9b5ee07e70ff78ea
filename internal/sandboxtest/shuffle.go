package sandboxtest

import (
	"errors"
	"math/rand/v2"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Shuffle puts the elements of each list that is an answer into a random order, and the members of each object.
func Shuffle(service *sandbox.Sandbox) {
	service.Inject(sandbox.Fault{Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		return status, header, shuffled(body)
	}})
}

func shuffled(body []byte) []byte {
	numbers := json.UnmarshalFromFunc(func(decoder *jsontext.Decoder, value *any) error {
		if decoder.PeekKind() != jsontext.KindNumber {
			return errors.ErrUnsupported
		}
		number, err := decoder.ReadValue()
		*value = number.Clone()
		return err
	})
	var answer any
	must(json.Unmarshal(body, &answer, json.WithUnmarshalers(numbers)))
	if list, ok := answer.([]any); ok {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	text, err := json.Marshal(answer, json.Deterministic(false)) // in the order of a Go map, which is random
	must(err)
	return text
}
