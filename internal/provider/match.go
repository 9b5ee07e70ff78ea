package provider

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// isRevision reports whether a model has that revision. An unreadable revision never matches.
func isRevision(model *catalogue.Model, revision int64) bool {
	return model.Revision != nil && int64(*model.Revision) == revision
}

// sameText reports whether a configured text equals one of the service, in NFC: engines normalise the former.
func sameText(written, served string) bool {
	return norm.NFC.String(written) == norm.NFC.String(served)
}

// compareTexts orders two texts of the service in NFC, as engines keep and show them. A missing text is empty.
func compareTexts(a, b *string) int {
	return strings.Compare(norm.NFC.String(orZero(a)), norm.NFC.String(orZero(b)))
}

// standingOf compares a text of the service with a wanted one. The same word in a different spelling is undecided.
func standingOf(written, served string) standing {
	switch {
	case sameText(written, served):
		return met
	case strings.EqualFold(bare(written), bare(served)):
		return undecided
	}
	return unmet
}

// bare returns a text in NFKC without white space, invisible characters, hyphens and underscores, in which spellings of
// one word differ, such as ON-DEMAND and onDemand. A point counts: 1.1 is not 11.
func bare(text string) string {
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.In(r, unicode.White_Space, unicode.Variation_Selector, unicode.Dash,
			unicode.Pc, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, text))
}
