package sandbox

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the known name that was likely meant, or "" if none is clear.
// Case, dashes and underscores do not count: docker_image is dockerImage. A
// name much longer than a known one is not compared, so that it costs nothing.
func Nearest(name string, known []string) string {
	const most = 2 // letters that differ
	plain := strings.NewReplacer("_", "", "-", "")
	meant, least := "", most+1
	name = strings.ToLower(plain.Replace(name))
	for _, candidate := range known {
		wanted := strings.ToLower(plain.Replace(candidate))
		if len(name) > 2 && strings.HasPrefix(wanted, name) && least > 1 {
			meant, least = candidate, 1
		}
		if max(len(name)-len(wanted), len(wanted)-len(name)) > most {
			continue
		}
		if distance := levenshtein.Distance(name, wanted, nil); distance < min(least, (len(name)+2)/2) {
			meant, least = candidate, distance
		}
	}
	return meant
}
