package sandbox

import (
	_ "crypto/sha512" // with sha256, the algorithms of an image's digest
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"
)

// checkImage refuses changes whose dockerImage no registry could have. Control routes and the page check it; in Go a
// test may publish any text, to see what a client makes of it.
func checkImage(changes []byte) error {
	image := parseObject(changes).text("dockerImage")
	if problem := problemOfImage(image); problem != "" {
		problem = fmt.Sprintf("%.200q is not a container image: %s", image, problem)
		return TextErrors{{Path: "dockerImage", Problem: problem}}
	}
	return nil
}

// imageProblems are the usual mistakes. The first that a text shows is told.
var imageProblems = []struct {
	shows   func(image string) bool
	problem string
}{
	{
		func(image string) bool { return strings.ContainsFunc(image, unicode.IsSpace) },
		"it has white space in it",
	},
	{
		func(image string) bool { return strings.Contains(image, "://") },
		"it has a scheme; leave out the part up to ://",
	},
	{
		func(image string) bool { return strings.Count(image, "@") > 1 },
		"it has more than one @",
	},
	{
		func(image string) bool { _, err := digest.Parse(image); return err == nil },
		"it is a digest without the name of a repository",
	},
	{
		func(image string) bool { _, err := digest.Parse("sha256:" + image); return err == nil },
		"64 hexadecimal digits are an image's id, not its name",
	},
}

// problemOfImage says why no registry could have an image of that reference, or returns "". An empty one is a model
// without an image.
func problemOfImage(image string) string {
	if image == "" {
		return ""
	}
	for _, known := range imageProblems {
		if known.shows(image) {
			return known.problem
		}
	}
	name, sum, digested := strings.Cut(image, "@")
	if digested {
		if problem := problemOfDigest(sum); problem != "" {
			return problem
		}
	}
	return problemOfName(name)
}

func problemOfDigest(text string) string {
	algorithm, digits, _ := strings.Cut(text, ":")
	known := digest.Algorithm(algorithm)
	_, err := digest.Parse(text)
	switch {
	case err == nil:
		return ""
	case !known.Available():
		return "after the @ comes a digest such as sha256:… (sha256, sha384 or sha512)"
	case len(digits) != known.Size()*2:
		return fmt.Sprintf("a %s digest has %d hexadecimal digits, this one has %d characters",
			algorithm, known.Size()*2, len(digits))
	}
	return "the digits of a digest are 0 to 9 and a to f, in lower case"
}

func problemOfName(name string) string {
	_, err := reference.ParseNormalizedNamed(name)
	last := strings.LastIndex(name, "/") + 1
	repository, tag, isTagged := strings.Cut(name[last:], ":")
	path := name[:last] + repository
	if host, below, found := strings.Cut(path, "/"); found && strings.ContainsAny(host, ".:") {
		path = below
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, reference.ErrNameTooLong):
		return fmt.Sprintf("its repository has more than %d characters", reference.RepositoryNameTotalLengthMax)
	case repository == "":
		return "the name of its repository is missing"
	case strings.ToLower(path) != path:
		return "its repository must be in lower case"
	case isTagged && (tag == "" || reference.TagRegexp.FindString(tag) != tag):
		return fmt.Sprintf("its tag %.60q must be 1 to 128 letters, digits, underscores, dots and hyphens, and begin with "+
			"a letter, a digit or an underscore", tag)
	}
	return "write it as registry.example/team/model:1.2.3"
}
