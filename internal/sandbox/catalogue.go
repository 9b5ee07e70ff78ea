package sandbox

import (
	"bytes"
	_ "embed"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Catalogue is what a [Sandbox] serves. It does not change, and several sandboxes may serve it.
type Catalogue struct {
	organisations []Organisation
	horizons      []string // the known keys
	groups        []*group // in the order of the file
}

// Organisation is a caller's identity and standing (INTERFACE.md, Authentication 4).
type Organisation struct {
	Name         string `json:"name"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	// Disabled is the reason why the organisation is disabled, or empty.
	Disabled string `json:"disabled"`
	// Forbidden organisations are authenticated but permitted nothing.
	Forbidden bool `json:"forbidden"`
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

// ReadCatalogue reads a catalogue file. It refuses fields that the interface does not have and values of another type,
// in documents only if the file is not recorded from a service. Its errors are [TextErrors].
func ReadCatalogue(r io.Reader) (*Catalogue, error) { return readCatalogue(r, written) }

// ParseCatalogue reads a catalogue file whose documents may be anything, so that a client can be tested with odd ones.
// It checks only what the sandbox relies on: groups have ids, and ids and revisions do not repeat.
func ParseCatalogue(r io.Reader) (*Catalogue, error) { return readCatalogue(r, unchecked) }

// file is a catalogue file once the schema has checked it.
type file struct {
	Recorded      string         `json:"recorded"`
	Organisations []Organisation `json:"organisations"`
	TimeHorizons  []struct {
		Key string `json:"key"`
	} `json:"timeHorizons"`
	ModelGroups []struct {
		Owner  string   `json:"owner"`
		Group  object   `json:"group"`
		Models []object `json:"models"`
	} `json:"modelGroups"`
}

func readCatalogue(r io.Reader, schemas func() *schemas) (*Catalogue, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	raw, err := compact(text)
	if err != nil {
		return nil, err
	}
	if parseObject(raw)["recorded"] != nil {
		schemas = unchecked
	}
	found := schemas().check(text, "/$defs/Catalogue")
	if err := found.err(); err != nil {
		return nil, err
	}
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	c, names, seen := &Catalogue{organisations: f.Organisations}, map[string]bool{}, map[string]jsontext.Pointer{}
	once := func(place jsontext.Pointer, kind, value string) {
		if first, repeated := seen[kind+value]; repeated {
			found.add(place, "%s is used before, at %s", value, path(first))
		}
		seen[kind+value] = place
	}
	for i, o := range f.Organisations {
		at := jsontext.Pointer("/organisations").AppendToken(strconv.Itoa(i))
		once(at+"/name", "the organisation", o.Name)
		once(at+"/clientId", "the client id", o.ClientID)
		names[o.Name] = true
	}
	for _, horizon := range f.TimeHorizons {
		c.horizons = append(c.horizons, horizon.Key)
	}
	for i, g := range f.ModelGroups {
		at := jsontext.Pointer("/modelGroups").AppendToken(strconv.Itoa(i))
		read := &group{owner: g.Owner, recorded: f.Recorded != "", id: g.Group.text("id"), stated: g.Group}
		if !names[g.Owner] {
			found.add(at+"/owner", "no organisation is named %q", g.Owner)
		}
		once(at+"/group/id", "the model group id", read.id)
		for j, document := range g.Models {
			m, at := newModel(document), (at + "/models").AppendToken(strconv.Itoa(j))
			read.models = append(read.models, m)
			if id := document.text("id"); id != "" {
				once(at+"/id", "the model id", id)
			}
			if m.revision != noRevision {
				once(at+"/revision", read.id+"\x00revision", strconv.FormatInt(m.revision, 10))
			}
		}
		c.groups = append(c.groups, newGroup(read))
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	return c, nil
}
