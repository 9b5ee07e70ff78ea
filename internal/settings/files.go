package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxFile bounds a file in bytes: several times a whole bundle of certificates.
const maxFile = 1 << 20

// readSmallFile reads a file without one byte order mark at its beginning and one line break at its end. An error does
// not show the file's name.
func readSmallFile(name string) (string, error) {
	// Opening a pipe without a writer would wait for ever, so look first.
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
	switch form := binaryForm(content); {
	case form != "":
		return "", errors.New("it is " + form)
	case !utf8.Valid(content):
		return "", errors.New("it is not UTF-8 text, as some Windows programs write it; save it as UTF-8")
	}
	text := strings.TrimPrefix(string(content), byteOrderMark)
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}

// unusableFile returns the error of the file of an argument.
func unusableFile(argument, from, name string, err error) error {
	if isPath(name) {
		return fmt.Errorf("the file %q, which the environment variable %s names, cannot be used: %w", name, from, err)
	}
	return fmt.Errorf("the environment variable %s names a file that cannot be used: %w.\n\nIts value is not shown, "+
		"because it may be a secret. Write the whole path of the file, without ~, variables and quotes. If the value "+
		"is the %s itself, set %s instead", from, err, argument, Variable(argument))
}

// isPath reports whether a file exists, or a folder above it other than the root and the working one. Any other name
// may be the secret itself, given in the wrong variable: a "/" is a digit of base64.
func isPath(name string) bool {
	_, err := os.Stat(name)
	for above := filepath.Dir(name); err != nil && above != filepath.Dir(above); above = filepath.Dir(above) {
		_, err = os.Stat(above)
	}
	return err == nil
}
