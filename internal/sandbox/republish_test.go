package sandbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// A tag or a digest that is re-published is told by updatedAt only.
func TestRepublishKeepsTheRevision(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	type model struct{ ID, DockerImage, CreatedAt, UpdatedAt string }
	read := func() (list []model) {
		c.get(groupPath(mainGroup, "/models")).decode(t, &list)
		return list
	}
	before := read()
	if _, err := s.Republish(mainGroup, 1, []byte(`{"dockerImage": "registry.example/moved:1"}`)); err != nil {
		t.Fatal(err)
	}
	after := read()
	if !slices.Equal(before[:1], after[:1]) || !slices.Equal(before[2:], after[2:]) {
		t.Errorf("other revisions changed: %+v, %+v", before, after)
	}
	was, is := before[1], after[1]
	if is.ID != was.ID || is.CreatedAt != was.CreatedAt || is.UpdatedAt <= was.UpdatedAt || is.DockerImage != "registry.example/moved:1" {
		t.Errorf("%+v became %+v", was, is)
	}
}

// What the catalogue dates in the future is still older than what is changed.
func TestChangesAreNeverOlder(t *testing.T) {
	s := sandbox.New(parse(t, `{"owner": "Owner", "group": {"id": "g"},
		"models": [{"revision": 0, "updatedAt": "2999-12-31T23:59:59.999Z"}]}`))
	for _, want := range []string{"3000-01-01T00:00:00.000Z", "3000-01-01T00:00:00.001Z"} {
		got, err := s.Republish("g", 0, nil)
		if err != nil || !strings.Contains(string(got), `"updatedAt":"`+want+`"`) {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestArchivedUnlisted(t *testing.T) {
	c := start(t, sandbox.New(sandbox.Default(), sandbox.WithArchivedUnlisted())).as("northwind")
	got := c.get(groupPath(mainGroup, "/models")).body
	if strings.Contains(got, `"archived":true`) || strings.Count(got, `"archived":false`) != 3 {
		t.Errorf("got %s", got)
	}
}
