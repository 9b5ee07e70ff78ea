package provider

import (
	"slices"

	"github.com/agext/levenshtein"
)

// maxSlips bounds the letters in which a mistaken name may differ. With it the search costs a
// few steps for each letter: a fraction of a second for 5,000 names of 1,000 characters.
const maxSlips = 5

// nearest returns the known names that a mistaken one is most like, sorted. It returns
// none if each differs in more letters than one in perSlip, and one.
func nearest(mistaken string, known []string, perSlip int) []string {
	slips := min(1+len(mistaken)/perSlip, maxSlips)
	var best []string
	for _, name := range known {
		distance := levenshtein.Distance(mistaken, name, levenshtein.NewParams().MaxCost(max(slips, 1)))
		if distance < slips {
			best, slips = nil, distance
		}
		if distance == slips {
			best = append(best, name)
		}
	}
	slices.Sort(best)
	return best
}
