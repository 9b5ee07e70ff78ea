// Package imageref reads references of container images by the rules of Docker and Kubernetes, and says what is wrong
// with one in words for its author: the parser calls most faults "invalid reference format".
package imageref

import (
	"cmp"
	_ "crypto/sha256" // digests of these algorithms are checked to the last digit
	_ "crypto/sha512"
	"errors"
	"fmt"
	"strings"

	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Parse reads a reference, normalised as Docker does. An error is a sentence about it, without a capital letter and a
// full stop. It says which part is wrong and never shows it, because an image may come from a sensitive value.
func Parse(text string) (reference.Named, error) {
	problem := problemOf(text)
	named, err := reference.ParseNormalizedNamed(text)
	switch {
	case problem != "":
		return nil, errors.New(problem)
	case errors.Is(err, reference.ErrNameTooLong):
		return nil, fmt.Errorf("its repository has more than %d characters", reference.RepositoryNameTotalLengthMax)
	// The registry is the only part that problemOf leaves to the parser, which does not see every wrong one.
	case err != nil, reference.Domain(named) == "":
		return nil, errors.New("its registry must be the name or the address of a host, with :PORT or without")
	}
	return named, nil
}

// Likeness is how much of two references is the same.
type Likeness int

// The likenesses. A reference without tag and digest has the tag latest.
const (
	Different    Likeness = iota
	ButForDigest          // only one has a digest, or they differ
	Same                  // the same image; with a digest, whatever the tag is
)

// Compare says how like two references are, once they are normalised.
func Compare(one, other reference.Named) Likeness {
	tag, digest := version(one)
	otherTag, otherDigest := version(other)
	switch {
	case one.Name() != other.Name():
		return Different
	case digest != "" && digest == otherDigest:
		return Same
	case tag != otherTag:
		return Different
	case digest != otherDigest:
		return ButForDigest
	}
	return Same
}

// version returns the tag and the digest of a reference, "" for none.
func version(image reference.Named) (tag, sum string) {
	if digested, ok := image.(reference.Digested); ok {
		sum = digested.Digest().String()
	}
	if tagged, ok := reference.TagNameOnly(image).(reference.Tagged); ok {
		tag = tagged.Tag()
	}
	return tag, sum
}

// problemOf says what is wrong with any part of a reference but its registry, or returns "".
func problemOf(text string) string {
	if problem := problemOfCharacters(text); problem != "" {
		return problem
	}
	name, sum, isDigested := strings.Cut(text, "@")
	_, notDigest := digest.Parse(text)
	switch {
	case text == "":
		return "it is empty"
	case strings.Contains(text, "://"):
		return "it has a scheme; leave out the part up to ://"
	case isHexadecimal(text, digest.SHA256):
		return "64 hexadecimal digits are an image's id, not its name"
	case notDigest == nil:
		return "it is a digest only, without the repository to find it in"
	case strings.Contains(sum, "@"):
		return "it has more than one @, and so more than one digest"
	case isDigested:
		return cmp.Or(problemOfDigest(sum), problemOfName(name))
	}
	return problemOfName(name)
}

// problemOfCharacters names the first character that a reference cannot contain, or returns "".
func problemOfCharacters(text string) string {
	odd := redact.OddCharacter(text, func(r rune) bool { return r <= ' ' || r > '~' })
	if odd == "" {
		return ""
	}
	return odd + ", which an image name cannot contain"
}

// problemOfDigest says what is wrong with a digest, or returns "".
func problemOfDigest(text string) string {
	const form = "after the @ comes sha256, sha384 or sha512, a colon, and hexadecimal digits in lower case"
	_, err := digest.Parse(text)
	name, digits, hasColon := strings.Cut(text, ":")
	algorithm := digest.Algorithm(name)
	switch {
	case err == nil:
		return ""
	case isHexadecimal(text, digest.SHA256):
		return "its digest does not name its algorithm; write sha256: after the @"
	case errors.Is(err, digest.ErrDigestUnsupported):
		return "its digest names an algorithm that is not known; " + form
	case hasColon && isHexadecimal(strings.ToLower(digits), algorithm):
		return "its digest has capital letters; " + form
	case errors.Is(err, digest.ErrDigestInvalidLength):
		return fmt.Sprintf("a %s digest has %d hexadecimal digits, this has %d", name, 2*algorithm.Size(), len(digits))
	}
	return "it has an invalid digest; " + form
}

// isHexadecimal reports whether a text is as many hexadecimal digits in lower case as an algorithm has.
func isHexadecimal(text string, algorithm digest.Algorithm) bool {
	return algorithm.Available() && algorithm.Validate(text) == nil
}

// problemOfName says which part of the repository cannot be one, or that the tag cannot be one, or returns "".
func problemOfName(name string) string {
	repository := name
	// A first part like this is a registry: the parser checks it.
	host, rest, hasParts := strings.Cut(name, "/")
	if hasParts && (strings.ContainsAny(host, ".:") || strings.ToLower(host) != host) {
		repository = rest
	}
	repository, tag, hasTag := strings.Cut(repository, ":")
	for i, part := range strings.Split(repository, "/") {
		if part == "" {
			return "its repository has an empty part: a slash at its start or its end, or two in a row"
		}
		_, err := reference.ParseNormalizedNamed("a/" + part)
		if err != nil && !errors.Is(err, reference.ErrNameTooLong) {
			return fmt.Sprintf("part %d of its repository must be lower-case letters and digits, with one dot, one or "+
				"two underscores or hyphens only between them", i+1)
		}
	}
	if hasTag && !isTag(tag) {
		return "its tag must be 1 to 128 letters, digits, underscores, dots and hyphens, and must not begin with a " +
			"dot or a hyphen"
	}
	return ""
}

func isTag(text string) bool { return text != "" && reference.TagRegexp.FindString(text) == text }
