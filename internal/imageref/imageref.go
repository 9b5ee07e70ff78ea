// Package imageref reads references of container images by the rules of Docker and Kubernetes, and says what is wrong
// with one in words for its author: the parser calls most faults "invalid reference format".
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

// Compare reports whether two references name the same image once they are normalised, or would but for the digest:
// only one has a digest, or they differ. With one digest a tag does not count, and a reference without both has the tag
// latest. The case of the registry's host does not count.
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

// usual are the characters of references.
const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/:@[]"

// problemOf says what is wrong with any part of a reference but its registry, or returns "".
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

// problemOfName says which part of the repository cannot be one, or that the tag cannot be one, or returns "".
func problemOfName(name string) string {
	repository := name
	// A first part like this is a registry: the parser checks it.
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
		if part == "" {
			return "its repository has an empty part: a slash at its start or its end, or two in a row"
		}
		_, err := reference.ParseNormalizedNamed("a/" + part)
		if err != nil && !errors.Is(err, reference.ErrNameTooLong) {
			return fmt.Sprintf("part %d of its repository must begin and end with a letter or a digit, with one dot, one "+
				"or two underscores or hyphens between them", i+1)
		}
	}
	if hasTag && !isTag(tag) {
		return "its tag must be 1 to 128 letters, digits, underscores, dots and hyphens, and must not begin with a " +
			"dot or a hyphen"
	}
	return ""
}

func isTag(text string) bool { return text != "" && reference.TagRegexp.FindString(text) == text }
