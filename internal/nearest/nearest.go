// Package nearest finds the known names that a mistaken one was likely meant for.
package nearest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxCompared bounds the names that are compared, in bytes: the cost of a comparison is the product of both lengths.
// 5,000 names of that length take a fraction of a second.
const maxCompared = 100

// unread are characters that do not count: docker_image, docker-image and dockerImage are one name.
var unread = strings.NewReplacer("_", "", "-", "", " ", "")

// Names returns the known names that are most like a mistaken one, sorted. Case, dashes, underscores and spaces do not
// count. It leaves out a name that differs in more letters than one, and one more for each perSlip letters of the
// mistaken name; perSlip is at least 1. Names of more than 100 bytes are never alike.
func Names(mistaken string, known []string, perSlip int) []string {
	folded := fold(mistaken)
	slips := 1 + len(folded)/perSlip
	var best []string
	for _, name := range known {
		if max(len(mistaken), len(name)) > maxCompared {
			continue
		}
		distance := levenshtein.ComputeDistance(folded, fold(name))
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

func fold(name string) string { return strings.ToLower(unread.Replace(name)) }
