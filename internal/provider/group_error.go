package provider

import (
	"fmt"
	"strings"
)

// groupError says why a group that was read has not what a block asks for.
type groupError struct {
	argument string // the argument at fault: revision, docker_image or where
	summary  string
	detail   string
	short    string // the detail as a phrase about the group
	// nothing is true where the group has no such model. A group that was only
	// listed is left out then.
	nothing bool
}

func (e *groupError) Error() string { return e.summary + ": " + e.detail }

// maxIDs bounds the ids, tags and the like that one diagnostic names.
const maxIDs = 10

// quotedList quotes values, the first ten of them.
func quotedList(values []string) string {
	quoted := make([]string, 0, maxIDs+1)
	for _, value := range values[:min(len(values), maxIDs)] {
		quoted = append(quoted, fmt.Sprintf("%q", abridged(value)))
	}
	if more := len(values) - maxIDs; more > 0 {
		quoted = append(quoted, andOthers(more))
	}
	return strings.Join(quoted, ", ")
}

// bulleted puts each line of a list below the other, the first so many of them.
func bulleted(lines []string, limit int) string {
	var text strings.Builder
	for _, line := range lines[:min(len(lines), limit)] {
		text.WriteString("\n  - " + line)
	}
	if more := len(lines) - limit; more > 0 {
		text.WriteString("\n  - " + andOthers(more))
	}
	return text.String()
}

// andOthers ends a list of which so many are not named.
func andOthers(n int) string {
	if n == 1 {
		return "and 1 other"
	}
	return fmt.Sprintf("and %d others", n)
}
