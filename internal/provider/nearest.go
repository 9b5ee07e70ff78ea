package provider

import (
	"slices"

	"github.com/agext/levenshtein"
)

// maxCompared bounds the names that are compared, in bytes: the cost of a comparison is the product
// of both lengths. 5,000 names of that length take a fraction of a second, and longer ones get no hint.
const maxCompared = 100

// nearest returns the known names that are most like a mistaken one, sorted. It leaves out
// names that differ in more letters than one, and one more for each perSlip.
func nearest(mistaken string, known []string, perSlip int) []string {
	slips := 1 + len(mistaken)/perSlip
	var best []string
	for _, name := range known {
		if max(len(mistaken), len(name)) > maxCompared {
			continue
		}
		// The library's own bound, MaxCost, gives wrong distances in its release 1.2.3.
		distance := levenshtein.Distance(mistaken, name, nil)
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
