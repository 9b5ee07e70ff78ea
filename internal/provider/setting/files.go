package setting

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// maxFile bounds a file that a variable names, in bytes: several times a whole bundle of certificates.
const maxFile = 1 << 20

// readSmallFile reads a file that a variable names, without the line break at its end. An error says what is wrong
// with the file, and does not show its name.
func readSmallFile(name string) (string, error) {
	// Opening a pipe that nobody writes to would wait for ever, so look first.
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	if err == nil && info.Size() > maxFile {
		return "", fmt.Errorf("it has more than %d bytes", maxFile)
	}
	content, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return "", fmt.Errorf("it cannot be read: %w", fault.Err)
	}
	switch what, isBinary := inDER(string(content)); {
	case isBinary:
		return "", errors.New("it is " + what)
	case !utf8.Valid(content):
		return "", errors.New("it is not UTF-8 text, as some Windows programs write it; save it as UTF-8")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), err
}

// unusableFile says what is wrong with the file of an argument.
func unusableFile(argument, from, name string, err error) error {
	if isPath(name) {
		quoted := strings.ReplaceAll(strconv.Quote(name), `\\`, `\`) // paths of Windows are full of backslashes
		why := ""
		if ofWindows(name) && filepath.Separator == '/' {
			why = "; it is a path of Windows, and the provider does not run there"
		}
		return fmt.Errorf("the file %s, which the environment variable %s names, cannot be used: %w%s",
			quoted, from, err, why)
	}
	odd := oddity(name)
	if at := redact.OddCharacter(name, notInPath); odd == "" && at != "" {
		odd = "has an odd character: " + at + ". Write only the path, in full"
	}
	odd = cmp.Or(odd, "is not shown, because it may be a secret")
	return fmt.Errorf("the environment variable %s names a file that cannot be used: %w.\n\nIts value %s. If it is "+
		"the %s itself, set %s instead", from, err, odd, argument, Variable(argument))
}

// isPath reports whether a file exists, or a folder above it other than the root and the working one, or whether a name
// begins as paths of Windows do. Any other name may be the secret itself, given in the wrong variable: a "/" is a digit
// of base64.
func isPath(name string) bool {
	_, err := os.Stat(name)
	for above := filepath.Dir(name); err != nil && above != filepath.Dir(above); above = filepath.Dir(above) {
		_, err = os.Stat(above)
	}
	return err == nil || ofWindows(name)
}

// ofWindows reports whether a name begins with a drive and a backslash, or with a server and a share. No base64 has
// these.
func ofWindows(name string) bool {
	const letters, more = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789.-_"
	drive, _, hasDrive := strings.Cut(name, `:\`)
	rest, isShare := strings.CutPrefix(name, `\\`)
	host, share, _ := strings.Cut(rest, `\`)
	switch {
	case strings.ContainsAny(name, "\r\n"):
		return false
	case hasDrive:
		return len(drive) == 1 && strings.Contains(letters, drive)
	}
	return isShare && share != "" && host != "" && strings.Trim(host, letters+more) == ""
}

// notInPath reports whether few paths have a character. Base64 does not use them, so the place of one says nothing
// about a secret.
func notInPath(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`/\._-+=`, r)
}
