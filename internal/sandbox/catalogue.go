package sandbox

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Catalogue is what a [Sandbox] serves: organisations, time horizons and model
// groups. It does not change and may serve several sandboxes.
type Catalogue struct {
	organisations []Organisation
	horizons      []string // the known keys
	groups        []*group // in the order of the file
}

// Organisation is a caller's identity and standing (INTERFACE.md,
// Authentication 4).
type Organisation struct {
	Name         string
	ClientID     string
	ClientSecret string
	// Disabled is the reason why the organisation is disabled, or empty.
	Disabled string
	// Forbidden organisations are authenticated but permitted nothing.
	Forbidden bool
}

// MainGroup is the id of the group of the default catalogue that has the most
// in it: revisions from 0 on, one of them archived.
const MainGroup = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

//go:embed catalogue.json
var defaultCatalogue []byte

var builtIn = sync.OnceValue(func() *Catalogue {
	c, err := ReadCatalogue(bytes.NewReader(defaultCatalogue))
	if err != nil {
		panic("sandbox: embedded catalogue: " + err.Error())
	}
	return c
})

// Default returns the embedded catalogue.
func Default() *Catalogue { return builtIn() }

// DefaultFile returns the file of the embedded catalogue, to start one's own from.
func DefaultFile() []byte { return slices.Clone(defaultCatalogue) }

// Organisations returns the organisations in the order of the file.
func (c *Catalogue) Organisations() []Organisation { return slices.Clone(c.organisations) }

// Owned returns the ids of the groups that the organisation of that name owns,
// in the order of the file.
func (c *Catalogue) Owned(organisation string) []string {
	var ids []string
	for _, g := range c.groups {
		if g.owner == organisation {
			ids = append(ids, g.id)
		}
	}
	return ids
}

// ReadCatalogue reads a catalogue file that somebody writes: in documents too,
// fields that the interface does not have are refused, and values of another
// type, unless the file is recorded from a service. [CatalogueSchema] describes
// such files to editors. Errors are [TextErrors].
func ReadCatalogue(r io.Reader) (*Catalogue, error) { return readCatalogue(r, written) }

// ParseCatalogue reads a catalogue file whose documents may be anything, so
// that a client can be tested with odd ones. The sandbox checks only what it
// relies on: group ids, and that ids and revisions do not repeat.
func ParseCatalogue(r io.Reader) (*Catalogue, error) { return readCatalogue(r, unchecked) }

func readCatalogue(r io.Reader, schemas func() *schemas) (*Catalogue, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	raw, err := compact(text)
	if err != nil {
		return nil, err
	}
	file := parseObject(raw) // the schema refuses any other value
	isRecorded := file["recorded"] != nil
	if isRecorded {
		schemas = unchecked
	}
	p := &parser{recorded: isRecorded, found: schemas().check(text, "/$defs/Catalogue"), seen: map[string]jsontext.Pointer{}}
	p.each(file, "", "organisations", p.organisation)
	p.each(file, "", "timeHorizons", p.horizon)
	p.each(file, "", "modelGroups", p.modelGroup)
	if err := p.found.err(); err != nil {
		return nil, err
	}
	return &p.catalogue, nil
}

// parser makes a catalogue, and finds the mistakes that a schema cannot.
type parser struct {
	found     TextErrors
	recorded  bool
	catalogue Catalogue
	seen      map[string]jsontext.Pointer // what must not repeat, and its place
}

// each reads the elements of a list that are objects.
func (p *parser) each(in object, at jsontext.Pointer, name string, read func(jsontext.Pointer, object)) {
	for i, raw := range elements(in[name]) {
		if entry := parseObject(raw); entry != nil {
			read(at.AppendToken(name).AppendToken(strconv.Itoa(i)), entry)
		}
	}
}

func (p *parser) organisation(place jsontext.Pointer, entry object) {
	o := Organisation{
		Name: entry.text("name"), ClientID: entry.text("clientId"), ClientSecret: entry.text("clientSecret"),
		Disabled: entry.text("disabled"), Forbidden: entry.is("forbidden", "true"),
	}
	p.once("the organisation", strconv.Quote(o.Name), "", place+"/name")
	p.once("the client id", strconv.Quote(o.ClientID), "", place+"/clientId")
	p.catalogue.organisations = append(p.catalogue.organisations, o)
}

func (p *parser) horizon(place jsontext.Pointer, entry object) {
	key := entry.text("key")
	p.once("the time horizon", strconv.Quote(key), "", place+"/key")
	p.catalogue.horizons = append(p.catalogue.horizons, key)
}

func (p *parser) modelGroup(place jsontext.Pointer, entry object) {
	owner := entry.text("owner")
	if owner != "" && !slices.ContainsFunc(p.catalogue.organisations, func(o Organisation) bool { return o.Name == owner }) {
		p.found.add(place+"/owner", "no organisation is named %q", owner)
	}
	stated := parseObject(entry["group"])
	id := stated.text("id")
	if id != "" {
		p.once("the model group id", strconv.Quote(id), "", place+"/group/id")
	}
	var models []model
	p.each(entry, place, "models", func(at jsontext.Pointer, document object) {
		m := newModel(document)
		models = append(models, m)
		if id := document.text("id"); id != "" {
			p.once("the model id", strconv.Quote(id), "", at+"/id")
		}
		if m.revision != noRevision {
			p.once("revision", strconv.FormatInt(m.revision, 10), place, at+"/revision")
		}
	})
	p.catalogue.groups = append(p.catalogue.groups, newGroup(&group{owner: owner, recorded: p.recorded, id: id, stated: stated, models: models}))
}

// once refuses a second value of the same kind in the same scope.
func (p *parser) once(kind, value string, scope, place jsontext.Pointer) {
	key := fmt.Sprintf("%s\x00%s\x00%s", kind, value, scope)
	if first, repeated := p.seen[key]; repeated {
		p.found.add(place, "%s %s is used before, at %s", kind, value, path(first))
		return
	}
	p.seen[key] = place
}
