package sandbox

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the known name that was likely meant, and nothing where none
// is clear. Case, dashes and underscores do not count: docker_image is
// dockerImage.
func Nearest(name string, known []string) string {
	plain := func(name string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	}
	meant, least := "", 3
	for _, candidate := range known {
		distance := levenshtein.Distance(plain(name), plain(candidate), nil)
		if len(name) > 2 && strings.HasPrefix(plain(candidate), plain(name)) {
			distance = min(distance, 1)
		}
		if distance < min(least, (len(name)+2)/2) {
			meant, least = candidate, distance
		}
	}
	return meant
}
