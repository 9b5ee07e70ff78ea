package sandbox

import (
	"bytes"
	_ "embed"
	"slices"
)

// Catalogue is what a [Sandbox] serves: organisations, time horizons and model
// groups. It does not change and may serve several sandboxes.
type Catalogue struct {
	organisations []Organisation
	horizons      []string // the known keys
	groups        []*group // in the order of the file
}

// Organisation is a caller's identity and standing (interface.md
// "Authentication" 4).
type Organisation struct {
	Name         string
	ClientID     string
	ClientSecret string
	// Disabled is the reason for which the organisation is disabled, and empty
	// while it is not.
	Disabled string
	// Forbidden organisations are authenticated but permitted nothing.
	Forbidden bool
}

// MainGroup is the id of the group of the default catalogue that has the most
// in it: revisions from 0 on, one of them archived.
const MainGroup = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

//go:embed catalogue.json
var defaultCatalogue []byte

// Default returns the embedded catalogue, a fresh copy each time.
func Default() *Catalogue {
	c, err := ReadCatalogue(bytes.NewReader(defaultCatalogue))
	if err != nil {
		panic("sandbox: embedded catalogue: " + err.Error())
	}
	return c
}

// Organisations returns the organisations in the order of the file.
func (c *Catalogue) Organisations() []Organisation {
	return slices.Clone(c.organisations)
}

// DefaultFile returns the file of the embedded catalogue, to start one's own from.
func DefaultFile() []byte { return slices.Clone(defaultCatalogue) }

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
