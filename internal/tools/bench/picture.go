package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// pictureFile is the picture, but for the theme and the ending. The README and
// the report show it.
const pictureFile = "assets/plan-time"

// picture shows it in Markdown, light or dark as the reader's page is.
func picture(root string) string {
	return fmt.Sprintf(`<picture>
  <source media="(prefers-color-scheme: dark)" srcset="%[1]s-dark.svg">
  <img alt="Plan time over the number of groups: with one block it stays near the line at the bottom, with for_each it grows with the square." src="%[1]s-light.svg">
</picture>`, root+pictureFile)
}

// draw draws plan time over the number of groups, from the rows of the report
// that compare one block with many.
func draw(ctx context.Context, plot string, results []*result) error {
	points := []string{"groups,for_each,one block"}
	for _, r := range results {
		if r.name == inOneBlock(r.groups) {
			points = append(points, fmt.Sprintf("%d,%.3f,%.3f", r.groups, spreadOf(r.other, wall).median, spreadOf(r.ours, wall).median))
		}
	}
	for _, theme := range []string{"light", "dark"} {
		cmd := engine.Command(ctx, plot, "-theme="+theme, "-out="+pictureFile+"-"+theme+".svg",
			"-title=Plan over the latest model of each group", "-x=groups", "-y=wall time of the plan, seconds")
		cmd.Stdin = strings.NewReader(strings.Join(points, "\n"))
		if _, err := engine.Output(cmd); err != nil {
			return err
		}
	}
	return nil
}
