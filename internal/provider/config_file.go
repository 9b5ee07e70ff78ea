package provider

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxFile bounds a file that a variable names, in bytes: several times a whole
// bundle of certificates.
const maxFile = 1 << 20

var errEmptyFile = errors.New("it is empty")

// readSmallFile reads a file that a variable names, without the line break at its
// end. An error says what is wrong with the file, and shows nothing of its name.
func readSmallFile(name string) (string, error) {
	// Opening a pipe that nobody writes to would wait for ever, so look first.
	info, err := os.Stat(name)
	if err != nil {
		return "", unreadable(name, err)
	}
	switch {
	case info.IsDir():
		return "", errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file")
	}
	file, err := os.Open(name) //nolint:gosec // whoever runs the provider names the file
	if err != nil {
		return "", unreadable(name, err)
	}
	defer file.Close() //nolint:errcheck // nothing was written to it
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", unreadable(name, err)
	case len(content) > maxFile:
		return "", fmt.Errorf("it has more than %d bytes", maxFile)
	case !utf8.Valid(content):
		return "", errors.New("it is not UTF-8 text, as some Windows programs write it; save it as UTF-8")
	}
	return withoutLineBreak(string(content)), nil
}

func withoutLineBreak(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// unreadable says why a file could not be read, without the name that errors of
// the system have in them.
func unreadable(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if filepath.IsAbs(name) {
			return errors.New("it does not exist")
		}
		return errors.New("it does not exist; a name that does not begin at the root is looked for in the folder where " +
			"the engine runs")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("the user who runs the engine may not read it")
	}
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = fault.Err
	}
	return fmt.Errorf("it cannot be read: %w", err)
}
