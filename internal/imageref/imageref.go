// Package imageref parses references of container images by the rules of Docker and Kubernetes, and explains a mistake
// to its author: the parser calls most of them "invalid reference format".
package imageref

import (
	_ "crypto/sha256" // digests of these algorithms are checked to the last digit
	_ "crypto/sha512"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Parse parses a reference, and normalises it as Docker does. An error is a sentence without a capital letter and a
// full stop. It names the wrong part and never quotes it, because an image may come from a sensitive value.
func Parse(text string) (reference.Named, error) {
	problem := problemOf(text)
	named, err := reference.ParseNormalizedNamed(text)
	switch {
	case problem != "":
		return nil, errors.New(problem)
	case errors.Is(err, reference.ErrNameTooLong):
		return nil, fmt.Errorf("its repository has more than %d characters", reference.RepositoryNameTotalLengthMax)
	// problemOf leaves only the registry to the parser, which accepts some wrong ones.
	case err != nil, reference.Domain(named) == "":
		return nil, errors.New("its registry must be the name or the address of a host, with :PORT or without")
	}
	return named, nil
}

// Compare reports whether two references name the same image, and if not, whether only the digest differs or is missing
// in one. Under equal digests the tag does not count; a reference without tag and digest has the tag latest. The case
// of the registry's host does not count.
func Compare(one, other reference.Named) (same, butForDigest bool) {
	tag, digest := version(one)
	otherTag, otherDigest := version(other)
	sameHost := strings.EqualFold(reference.Domain(one), reference.Domain(other))
	if !sameHost || reference.Path(one) != reference.Path(other) {
		return false, false
	}
	if digest == otherDigest {
		return digest != "" || tag == otherTag, false
	}
	return false, tag == otherTag
}

// version returns the tag and the digest of a reference, each "" if it is absent.
func version(image reference.Named) (tag, sum string) {
	if digested, ok := image.(reference.Digested); ok {
		sum = digested.Digest().String()
	}
	if tagged, ok := reference.TagNameOnly(image).(reference.Tagged); ok {
		tag = tagged.Tag()
	}
	return tag, sum
}

// usual contains the characters of references.
const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/:@[]"

// problemOf returns what is wrong with a reference, except with its registry, or "".
func problemOf(text string) string {
	odd := redact.OddCharacter(text, func(r rune) bool { return !strings.ContainsRune(usual, r) })
	name, sum, isDigested := strings.Cut(text, "@")
	_, notDigest := digest.Parse(text)
	_, wrongDigest := digest.Parse(sum)
	switch {
	case odd != "":
		return odd + ", which a reference cannot contain"
	case text == "":
		return "it is empty"
	case strings.Contains(text, "://"):
		return "it has a scheme; leave out the part up to ://"
	case digest.SHA256.Validate(text) == nil:
		return "64 hexadecimal digits are an image's id, not its name"
	case notDigest == nil:
		return "it is a digest only, without the repository to find it in"
	case isDigested && wrongDigest != nil:
		return "after the @ comes one digest: sha256, sha384 or sha512, a colon, and 64, 96 or 128 hexadecimal " +
			"digits in lower case"
	}
	return problemOfName(name)
}

// problemOfName returns what is wrong with the repository or the tag, or "".
func problemOfName(name string) string {
	repository := name
	// The parser checks a first part like this, which is a registry.
	host, rest, hasParts := strings.Cut(name, "/")
	if hasParts && (strings.ContainsAny(host, ".:") || strings.ToLower(host) != host) {
		repository = rest
	}
	before := len(name) - len(repository)
	repository, tag, hasTag := strings.Cut(repository, ":")
	if repository == "" {
		return "it does not name a repository"
	}
	if at := strings.IndexFunc(repository, unicode.IsUpper); at >= 0 {
		return fmt.Sprintf("character %d is upper-case: a repository has lower-case letters only", before+at+1)
	}
	for i, part := range strings.Split(repository, "/") {
		if problem := problemOfPart(part, i+1); problem != "" {
			return problem
		}
	}
	if hasTag && !isTag(tag) {
		return "its tag must be 1 to 128 letters, digits, underscores, dots and hyphens, and must not begin with a " +
			"dot or a hyphen"
	}
	return ""
}

// problemOfPart returns what is wrong with a part of the repository, or "". The first part is number 1.
func problemOfPart(part string, number int) string {
	_, err := reference.ParseNormalizedNamed("a/" + part)
	switch {
	case part == "":
		return "its repository has an empty part: a slash at its start or its end, or two in a row"
	case err != nil && !errors.Is(err, reference.ErrNameTooLong):
		return fmt.Sprintf("part %d of its repository must begin and end with a letter or a digit, with one dot, one "+
			"or two underscores or hyphens between them", number)
	}
	return ""
}

func isTag(text string) bool { return text != "" && reference.TagRegexp.FindString(text) == text }
