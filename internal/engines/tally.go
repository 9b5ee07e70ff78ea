package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// tally counts whole tests; a subtest is part of the test that runs it.
type tally struct {
	passed, failed, skipped int
	took                    time.Duration
}

// event is one line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// count reads the events of a test run to their end. What a failed test or
// package printed goes to failures; the rest is dropped.
func count(events io.Reader, failures io.Writer) (tally, error) {
	var sum tally
	printed := map[string]*bytes.Buffer{}
	decoder := json.NewDecoder(events)
	for {
		var e event
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF):
			return sum, nil
		case err != nil:
			return sum, fmt.Errorf("reading the events of go test: %w", err)
		}

		name, _, subtest := strings.Cut(e.Test, "/")
		key := e.Package + " " + name
		switch e.Action {
		case "build-output":
			// Only what does not compile has any.
			fmt.Fprint(failures, e.Output)
		case "output":
			if printed[key] == nil {
				printed[key] = &bytes.Buffer{}
			}
			printed[key].WriteString(e.Output)
		case "pass", "fail", "skip":
			if subtest {
				continue
			}
			if e.Action == "fail" && printed[key] != nil {
				_, _ = printed[key].WriteTo(failures)
			}
			delete(printed, key)
			if e.Test == "" {
				continue // The whole package: its tests are counted already.
			}
			switch e.Action {
			case "pass":
				sum.passed++
			case "fail":
				sum.failed++
			case "skip":
				sum.skipped++
			}
		}
	}
}

// row is one engine of the table.
type row struct {
	engine string
	tally  tally
	ok     bool
}

// printTable writes the rows as a Markdown table.
func printTable(w io.Writer, rows []row) {
	fmt.Fprintln(w, "| engine | tests | result |")
	fmt.Fprintln(w, "| --- | --- | --- |")
	for _, r := range rows {
		tests := fmt.Sprintf("%d passed", r.tally.passed)
		if r.tally.failed > 0 {
			tests += fmt.Sprintf(", %d failed", r.tally.failed)
		}
		if r.tally.skipped > 0 {
			tests += fmt.Sprintf(", %d skipped", r.tally.skipped)
		}
		result := "pass"
		if !r.ok {
			result = "FAIL"
		}
		fmt.Fprintf(w, "| %s | %s | %s in %s |\n", r.engine, tests, result, r.tally.took.Round(time.Second))
	}
}
