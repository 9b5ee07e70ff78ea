package sandbox

import (
	"encoding/json"
	"io"
	"slices"
)

// ParseCatalogue reads a catalogue file:
//
//	{
//	  "organisations": [{"name", "clientId", "clientSecret", "disabled", "forbidden"}],
//	  "timeHorizons":  [{"name", "shortName", "key"}],
//	  "modelGroups":   [{"owner", "group": {…}, "models": [{…}]}]
//	}
//
// where disabled is a reason and forbidden a boolean, both optional; owner is
// an organisation's name; group and models are documents as interface.md
// "Resources and their fields" has them. Documents are served as they are,
// odd ones included, so only what the sandbox itself relies on is checked:
// group ids, and that ids and revisions do not repeat. Everything else is
// strict. Errors name the place, as a path or as line and column.
func ParseCatalogue(r io.Reader) (*Catalogue, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	raw, err := compact(text)
	if err != nil {
		return nil, err
	}
	p := &parser{catalogue: &Catalogue{}, seen: map[string]string{}}
	if err := readFields("", raw, fields{
		"organisations": readList(p.organisation),
		"timeHorizons":  readList(p.timeHorizon),
		"modelGroups":   readList(p.keepGroup),
	}); err != nil {
		return nil, err
	}
	if len(p.catalogue.organisations) == 0 {
		return nil, wrong("organisations", "at least one is required")
	}
	// Owners may be declared after what they own.
	for _, element := range p.groups {
		if err := p.modelGroup(element.place, element.raw); err != nil {
			return nil, err
		}
	}
	return p.catalogue, nil
}

type parser struct {
	catalogue *Catalogue
	groups    []placed
	seen      map[string]string // what must not repeat, with the place it was seen at
}

type placed struct {
	place string
	raw   json.RawMessage
}

func (p *parser) organisation(place string, raw json.RawMessage) error {
	var o Organisation
	if err := readFields(place, raw, fields{
		"name":         readName(&o.Name),
		"clientId":     readName(&o.ClientID),
		"clientSecret": readName(&o.ClientSecret),
		"disabled":     readName(&o.Disabled),
		"forbidden":    readBool(&o.Forbidden),
	}, "name", "clientId", "clientSecret"); err != nil {
		return err
	}
	if err := p.once("organisation", o.Name, place+".name"); err != nil {
		return err
	}
	if err := p.once("client id", o.ClientID, place+".clientId"); err != nil {
		return err
	}
	p.catalogue.organisations = append(p.catalogue.organisations, o)
	return nil
}

func (p *parser) timeHorizon(place string, raw json.RawMessage) error {
	var name, shortName, key string
	if err := readFields(place, raw, fields{
		"name":      readName(&name),
		"shortName": readName(&shortName),
		"key":       readName(&key),
	}, "key"); err != nil {
		return err
	}
	p.catalogue.horizons = append(p.catalogue.horizons, key)
	return p.once("time horizon", key, place+".key")
}

func (p *parser) keepGroup(place string, raw json.RawMessage) error {
	p.groups = append(p.groups, placed{place, raw})
	return nil
}

func (p *parser) modelGroup(place string, raw json.RawMessage) error {
	var (
		owner    string
		document object
		models   []*model
	)
	if err := readFields(place, raw, fields{
		"owner":  readName(&owner),
		"group":  readDocument(&document),
		"models": readList(p.model(&models, place)),
	}, "owner", "group"); err != nil {
		return err
	}
	owns := func(o Organisation) bool { return o.Name == owner }
	if !slices.ContainsFunc(p.catalogue.organisations, owns) {
		return wrong(place+".owner", "no organisation is named %q", owner)
	}
	id, _ := document.text("id")
	if id == "" {
		return wrong(place+".group.id", "a string that is not empty is required")
	}
	if err := p.once("model group id", id, place+".group.id"); err != nil {
		return err
	}
	p.catalogue.groups = append(p.catalogue.groups, newGroup(owner, id, document, models))
	return nil
}

func (p *parser) model(models *[]*model, group string) reader {
	return func(place string, raw json.RawMessage) error {
		var document object
		if err := readDocument(&document)(place, raw); err != nil {
			return err
		}
		m := newModel(document)
		if id, ok := document.text("id"); ok {
			if err := p.once("model id", id, place+".id"); err != nil {
				return err
			}
		}
		if m.revision != nil {
			revision := m.revision.Text('g', -1)
			if err := p.once("revision in "+group, revision, place+".revision"); err != nil {
				return err
			}
		}
		*models = append(*models, m)
		return nil
	}
}

// once refuses a second value of the same kind.
func (p *parser) once(kind, value, place string) error {
	first, repeated := p.seen[kind+"\x00"+value]
	if repeated {
		return wrong(place, "the %s %q is used before, at %s", kind, value, first)
	}
	p.seen[kind+"\x00"+value] = place
	return nil
}
