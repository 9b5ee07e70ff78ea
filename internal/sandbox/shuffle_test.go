package sandbox_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestShuffle(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	paths := []string{"/v1/model-group", groupPath(mainGroup, "/models"), groupPath(mainGroup, "/latest-model")}
	for _, path := range paths {
		plain := newListing(t, c.get(path))
		texts := map[string]bool{plain.text: true}
		orders := map[string]bool{}
		for seed := range int64(8) {
			s.Shuffle(seed)
			got := newListing(t, c.get(path))
			if again := c.get(path); again.body != got.text {
				t.Fatalf("%s: one seed gives two orders", path)
			}
			texts[got.text] = true
			orders[strings.Join(got.order, " ")] = true
			// Once the list is sorted everything is as it was, the order of
			// the lists within a document too.
			if !reflect.DeepEqual(got.sorted, plain.sorted) {
				t.Errorf("%s: seed %d changes more than the order", path, seed)
			}
		}
		if len(texts) < 8 {
			t.Errorf("%s: 8 seeds give %d texts", path, len(texts))
		}
		if len(plain.order) > 1 && len(orders) < 3 {
			t.Errorf("%s: 8 seeds give %d orders of the list", path, len(orders))
		}
		s = sandbox.New(sandbox.Default())
		c = start(t, s).as("northwind")
	}
}

// listing is an answer with its list put in order.
type listing struct {
	text   string
	order  []string
	sorted []any
}

// newListing decodes a list, or a document as a list of one.
func newListing(t *testing.T, r reply) listing {
	t.Helper()
	text := r.body
	if text[0] == '{' {
		text = "[" + text + "]"
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	l := listing{text: r.body}
	if err := decoder.Decode(&l.sorted); err != nil {
		t.Fatal(err)
	}
	id := func(v any) string {
		record, _ := v.(map[string]any)
		text, _ := record["id"].(string)
		return text
	}
	for _, element := range l.sorted {
		l.order = append(l.order, id(element))
	}
	slices.SortFunc(l.sorted, func(a, b any) int { return strings.Compare(id(a), id(b)) })
	return l
}
