package sandbox

import (
	_ "crypto/sha512" // with sha256, the algorithms of an image's digest
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
		const says = "%.200q is not a container image such as registry.example/team/model:1.2.3: %s"
		problem = fmt.Sprintf(says, image, problem)
		return TextErrors{{Path: "dockerImage", Problem: problem}}
	}
	return nil
}

// problemOfImage says why no registry could have an image of that reference, or returns "". An empty one is a model
// without an image.
func problemOfImage(image string) string {
	_, err := reference.ParseNormalizedNamed(image)
	_, sum, isDigested := strings.Cut(image, "@")
	_, wrongSum := digest.Parse(sum)
	_, notOnlySum := digest.Parse(image)
	switch {
	case notOnlySum == nil:
		return "it is a digest without the name of a repository"
	case image == "" || err == nil:
		return ""
	case strings.ContainsFunc(image, unicode.IsSpace):
		return "it has white space in it"
	case strings.Contains(image, "://"):
		return "it has a scheme; leave out the part up to ://"
	case isDigested && wrongSum != nil:
		return wrongSum.Error()
	}
	return err.Error()
}
