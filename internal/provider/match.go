package provider

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// isRevision reports whether a model is of a revision. A model whose revision cannot be read never is.
func isRevision(model *catalogue.Model, revision int64) bool {
	return model.Revision != nil && int64(*model.Revision) == revision
}

// sameText reports whether a text of a configuration is the same as one of the service. Engines normalise the former to
// NFC.
func sameText(written, served string) bool {
	return norm.NFC.String(written) == norm.NFC.String(served)
}

// compareTexts orders two texts of the service, of which a missing one is empty, as they are shown: an engine keeps
// texts in NFC.
func compareTexts(a, b *string) int {
	return strings.Compare(norm.NFC.String(orZero(a)), norm.NFC.String(orZero(b)))
}

// standingOf says whether a text of the service is the one that is asked for. It may be if it is the same word.
func standingOf(written, served string) standing {
	switch {
	case sameText(written, served):
		return met
	case strings.EqualFold(bare(written), bare(served)):
		return undecided
	}
	return unmet
}

// bare returns a text in NFKC without invisible characters, hyphens and underscores, which differ between the spellings
// of one word: ON-DEMAND and onDemand. A point counts: 1.1 is not 11.
func bare(text string) string {
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.In(r, unicode.White_Space, unicode.Variation_Selector, unicode.Dash,
			unicode.Pc, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, text))
}
