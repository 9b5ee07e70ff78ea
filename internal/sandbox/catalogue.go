package sandbox

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Catalogue is the data of a [Sandbox]. It is immutable, so several sandboxes may serve it.
type Catalogue struct {
	organisations []Organisation
	horizons      []string // the known keys, those of groups included
	groups        []*group // in the order of the file
	isRecorded    bool

	contradictions TextErrors // stated fields of groups that the revisions contradict
}

// Organisation is a caller's identity and standing (INTERFACE.md, Authentication 4).
type Organisation struct {
	Name         string `json:"name"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	// Disabled is the reason why the organisation is disabled, or empty.
	Disabled string `json:"disabled,omitzero"`
	// Forbidden organisations are authenticated but permitted nothing.
	Forbidden bool `json:"forbidden,omitzero"`
}

// MainGroup is the id of the richest group of the default catalogue. It has the revisions 0 to 3; 2 is archived.
const MainGroup = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

//go:embed catalogue.json
var defaultCatalogue []byte

// Default returns the embedded catalogue.
var Default = sync.OnceValue(func() *Catalogue {
	c, err := ReadCatalogue(bytes.NewReader(defaultCatalogue))
	if err != nil {
		panic("sandbox: embedded catalogue: " + err.Error())
	}
	return c
})

// DefaultFile returns the file of the embedded catalogue.
func DefaultFile() []byte { return slices.Clone(defaultCatalogue) }

// Organisations returns the organisations in the order of the file.
func (c *Catalogue) Organisations() []Organisation { return slices.Clone(c.organisations) }

// Organisation returns the organisation of that name, or the first one if the name is empty.
func (c *Catalogue) Organisation(name string) (Organisation, error) {
	var names []string
	for _, o := range c.organisations {
		if name == "" || name == o.Name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return Organisation{}, fmt.Errorf("the catalogue has no organisation %q; it has %s", name, prose(names, "and"))
}

// Recorded reports whether the catalogue is recorded from a service, and returns the time of the newest change of a
// model, zero if no time is known.
func (c *Catalogue) Recorded() (newest time.Time, isRecorded bool) {
	for _, g := range c.groups {
		for _, m := range g.Models {
			changed := cmp.Or(m.Document.text("updatedAt"), m.Document.text("createdAt"))
			at, err := time.Parse(time.RFC3339, changed)
			if err == nil && at.After(newest) {
				newest = at
			}
		}
	}
	return newest, c.isRecorded
}

// Contradictions returns the fields of groups in a recorded file that the file's revisions contradict. In a file that
// people write they are mistakes.
func (c *Catalogue) Contradictions() TextErrors { return c.contradictions }

// ReadCatalogue reads a catalogue file. It refuses unknown fields, values of another type, models of another group, and
// fields of a group that its revisions contradict. The documents of a recorded file may be anything. Its errors are
// [TextErrors].
func ReadCatalogue(r io.Reader) (*Catalogue, error) { return decodeCatalogue(r, true) }

// ParseCatalogue reads a catalogue file whose documents may be anything, for tests of a client with odd documents. It
// checks the file's own fields, the names of owners, and that ids and revisions are unique.
func ParseCatalogue(r io.Reader) (*Catalogue, error) { return decodeCatalogue(r, false) }

// catalogueFile is a catalogue file after the check by the schema.
type catalogueFile struct {
	Recorded      string         `json:"recorded"`
	Organisations []Organisation `json:"organisations"`
	TimeHorizons  []struct {
		Key string `json:"key"`
	} `json:"timeHorizons"`
	ModelGroups []groupOfFile `json:"modelGroups"`
}

type groupOfFile struct {
	Owner  string   `json:"owner"`
	Group  object   `json:"group"`
	Models []object `json:"models"`
}

func decodeCatalogue(r io.Reader, isStrict bool) (*Catalogue, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	raw, err := parseText(text, "")
	if err != nil {
		return nil, err
	}
	isStrict = isStrict && parseObject(raw)["recorded"] == nil
	schema := jsontext.Pointer("/$defs/AnyCatalogue")
	if isStrict {
		schema = "/$defs/Catalogue"
	}
	mistakes := written().check(text, schema)
	c := &Catalogue{}
	var file catalogueFile
	// The schema has already reported values of another type.
	if err := json.Unmarshal(raw, &file); err == nil {
		c = file.catalogue()
		linked := &links{file: file, catalogue: c, first: map[string]jsontext.Pointer{}}
		linked.check(isStrict)
		mistakes = append(mistakes, linked.mistakes...)
	}
	if err := mistakes.err(text); err != nil {
		return nil, err
	}
	for i, g := range c.groups {
		c.contradictions = append(c.contradictions, g.contradictions(element("/modelGroups", i)+"/group")...)
		if isStrict {
			c.groups[i] = g.completed()
		}
	}
	if err := c.contradictions.err(text); isStrict {
		return c, err
	}
	return c, nil
}

func (f *catalogueFile) catalogue() *Catalogue {
	c := &Catalogue{organisations: f.Organisations, isRecorded: f.Recorded != ""}
	for _, horizon := range f.TimeHorizons {
		c.horizons = append(c.horizons, horizon.Key)
	}
	for _, g := range f.ModelGroups {
		read := &group{
			Owner:    g.Owner,
			ID:       g.Group.text("id"),
			Stated:   g.Group,
			recorded: f.Recorded != "",
		}
		for _, document := range g.Models {
			read.Models = append(read.Models, newModel(document))
		}
		c.groups = append(c.groups, newGroup(read))
		if horizon := read.Horizon(); horizon != "" && !slices.Contains(c.horizons, horizon) {
			c.horizons = append(c.horizons, horizon)
		}
	}
	return c
}
