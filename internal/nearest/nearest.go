// Package nearest suggests known names for a mistaken one.
package nearest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxCompared bounds the length of names, in bytes: the cost of a comparison is the product of both lengths. A search
// among 5,000 names of that length takes a fraction of a second.
const maxCompared = 100

// unread removes the characters that do not count: docker_image, docker-image and dockerImage are one name.
var unread = strings.NewReplacer("_", "", "-", "", " ", "")

// Names returns the known names most like a mistaken one, sorted. Case, dashes, underscores and spaces do not count. A
// name may differ in one letter, and one more for each perSlip letters of the mistaken name; perSlip is at least 1.
// Names of more than 100 bytes are never alike.
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
