package sandbox

import (
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

type (
	// checkedFile knows every field that a document may have.
	checkedFile = catalogueFile[groupDocument, modelDocument]
	// servedFile keeps documents as they are, to serve them.
	servedFile = catalogueFile[object, object]
)

// ReadCatalogue reads a catalogue file that somebody writes: in documents too,
// fields that interface.md "Resources and their fields" does not have are
// refused, and values of another type. [CatalogueSchema] describes such files
// to editors. Errors are [TextError]s.
func ReadCatalogue(r io.Reader) (*Catalogue, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if err := readWhole(text, new(checkedFile)); err != nil {
		return nil, err
	}
	return parseCatalogue(text)
}

// ParseCatalogue reads a catalogue file whose documents may be anything, so
// that a client can be tested with odd ones:
//
//	{
//	  "organisations": [{"name", "clientId", "clientSecret", "disabled", "forbidden"}],
//	  "timeHorizons":  [{"name", "shortName", "key"}],
//	  "modelGroups":   [{"owner", "group": {…}, "models": [{…}]}]
//	}
//
// where disabled is a reason and forbidden a boolean, both optional; owner is
// an organisation's name; group and models are documents. Of them only that is
// checked which the sandbox itself relies on: group ids, and that ids and
// revisions do not repeat. Everything else is strict, with errors as those of
// [ReadCatalogue].
func ParseCatalogue(r io.Reader) (*Catalogue, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return parseCatalogue(text)
}

func parseCatalogue(text []byte) (*Catalogue, error) {
	var file servedFile
	if err := readWhole(text, &file); err != nil {
		return nil, err
	}
	if len(file.Organisations) == 0 {
		return nil, wrong(text, "/organisations", "at least one is required")
	}
	p := &parser{text: text, catalogue: &Catalogue{}, seen: map[string]jsontext.Pointer{}}
	for i, entry := range file.Organisations {
		if err := p.organisation(element("/organisations", i), entry); err != nil {
			return nil, err
		}
	}
	for i, entry := range file.TimeHorizons {
		if err := p.once("time horizon", string(entry.Key), element("/timeHorizons", i)+"/key"); err != nil {
			return nil, err
		}
		p.catalogue.horizons = append(p.catalogue.horizons, string(entry.Key))
	}
	for i, entry := range file.ModelGroups {
		if err := p.modelGroup(element("/modelGroups", i), entry); err != nil {
			return nil, err
		}
	}
	return p.catalogue, nil
}

func element(place jsontext.Pointer, i int) jsontext.Pointer {
	return place.AppendToken(strconv.Itoa(i))
}

type parser struct {
	text      []byte
	catalogue *Catalogue
	seen      map[string]jsontext.Pointer // what must not repeat, with the place it was seen at
}

func (p *parser) organisation(place jsontext.Pointer, entry organisationEntry) error {
	if err := p.once("organisation", string(entry.Name), place+"/name"); err != nil {
		return err
	}
	if err := p.once("client id", string(entry.ClientID), place+"/clientId"); err != nil {
		return err
	}
	p.catalogue.organisations = append(p.catalogue.organisations, Organisation{
		Name:         string(entry.Name),
		ClientID:     string(entry.ClientID),
		ClientSecret: string(entry.ClientSecret),
		Disabled:     string(entry.Disabled),
		Forbidden:    bool(entry.Forbidden),
	})
	return nil
}

func (p *parser) modelGroup(place jsontext.Pointer, entry groupEntry[object, object]) error {
	owner := string(entry.Owner)
	owns := func(o Organisation) bool { return o.Name == owner }
	if !slices.ContainsFunc(p.catalogue.organisations, owns) {
		return wrong(p.text, place+"/owner", "no organisation is named %q", owner)
	}
	id, _ := entry.Group.text("id")
	if id == "" {
		return wrong(p.text, place+"/group/id", "a string that is not empty is required")
	}
	if err := p.once("model group id", id, place+"/group/id"); err != nil {
		return err
	}
	models := make([]*model, len(entry.Models))
	for i, document := range entry.Models {
		models[i] = newModel(document)
		if err := p.model(element(place+"/models", i), place, models[i]); err != nil {
			return err
		}
	}
	p.catalogue.groups = append(p.catalogue.groups, newGroup(owner, id, entry.Group, models))
	return nil
}

func (p *parser) model(place, group jsontext.Pointer, m *model) error {
	if id, ok := m.document.text("id"); ok {
		if err := p.once("model id", id, place+"/id"); err != nil {
			return err
		}
	}
	if m.revision == nil {
		return nil
	}
	return p.once("revision in "+path(group), m.revision.Text('g', -1), place+"/revision")
}

// once refuses a second value of the same kind.
func (p *parser) once(kind, value string, place jsontext.Pointer) error {
	first, repeated := p.seen[kind+"\x00"+value]
	if repeated {
		return wrong(p.text, place, "the %s %q is used before, at %s", kind, value, path(first))
	}
	p.seen[kind+"\x00"+value] = place
	return nil
}
