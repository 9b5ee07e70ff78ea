package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

const (
	// pictureFile is the picture, without its theme and the ending of its name. The report and
	// the README show it, with the figures that it is drawn from.
	pictureFile = ".github/plan-time"

	readmeFile               = "README.md"
	pictureBegin, pictureEnd = "<!-- plan time: begin -->\n", "<!-- plan time: end -->\n"
)

// picture shows it in Markdown, light or dark as the reader's page is.
func picture() string {
	const alt = "Time of a plan over the number of groups: with for_each it grows with their square, with " +
		"one block it hardly grows."
	return fmt.Sprintf(`<picture>
  <source media="(prefers-color-scheme: dark)" srcset="%[1]s-dark.svg">
  <img alt="%[2]s" src="%[1]s-light.svg">
</picture>
`, pictureFile, alt)
}

// draw draws the time of a plan over the number of groups, and shows it in the
// README.
func draw(ctx context.Context, plot string, results []*result) error {
	points := []string{"groups,for_each,one block"}
	table := []string{"| groups | `for_each` | one block |", "| ---: | ---: | ---: |"}
	for _, r := range results {
		if r.name == inOneBlock(r.groups) {
			each, one := spreadOf(r.other, wall).median, spreadOf(r.ours, wall).median
			points = append(points, fmt.Sprintf("%d,%.3f,%.3f", r.groups, each, one))
			table = append(table, fmt.Sprintf("| %d | %.1f s | %.1f s |", r.groups, each, one))
		}
	}
	for _, theme := range []string{"light", "dark"} {
		cmd := engine.Command(ctx, plot, "-theme="+theme, "-out="+pictureFile+"-"+theme+".svg",
			"-title=The latest model of each group, 50 ms for each answer", "-x=groups", "-y=time of a plan, seconds")
		cmd.Stdin = strings.NewReader(strings.Join(points, "\n"))
		if _, err := engine.Output(cmd); err != nil {
			return err
		}
	}
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(readme), pictureBegin)
	_, after, ended := strings.Cut(rest, pictureEnd)
	if !found || !ended {
		return fmt.Errorf("%s lacks %q or %q, between which the picture stands", readmeFile, pictureBegin, pictureEnd)
	}
	shown := picture() + "\n" + strings.Join(table, "\n") + "\n"
	return os.WriteFile(readmeFile, []byte(before+pictureBegin+shown+pictureEnd+after), 0o644)
}
