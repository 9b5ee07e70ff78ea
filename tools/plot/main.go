// Plot draws lines over a common horizontal axis as an SVG, in the colours of a
// light or of a dark page. It reads them from standard input as CSV: the first
// column is the axis, each further one a line, and the first row names them.
//
// It is a module of its own, so that what it is made of stays out of the
// provider's dependencies.
package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// theme is the colours of a page. The lines are told apart by shape as well,
// for readers who do not see the difference of colour.
type theme struct {
	page, text, grid color.Color
	lines            []color.Color
}

var themes = map[string]theme{
	"light": {
		page: rgb(0xffffff), text: rgb(0x1f2328), grid: rgb(0xd1d9e0), lines: []color.Color{rgb(0xbc4c00), rgb(0x0969da)},
	},
	"dark": {
		page: rgb(0x0d1117), text: rgb(0xf0f6fc), grid: rgb(0x3d444d), lines: []color.Color{rgb(0xf0883e), rgb(0x58a6ff)},
	},
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}}

func rgb(hex uint32) color.Color {
	return color.RGBA{R: uint8(hex >> 16 & 0xff), G: uint8(hex >> 8 & 0xff), B: uint8(hex & 0xff), A: 0xff}
}

func main() {
	name := flag.String("theme", "light", "light or dark")
	out := flag.String("out", "", "the file to write")
	title := flag.String("title", "", "what the picture shows")
	x := flag.String("x", "", "what the horizontal axis is")
	y := flag.String("y", "", "what the vertical axis is")
	flag.Parse()
	if err := run(os.Stdin, *out, *name, *title, *x, *y); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out, name, title, x, y string) error {
	colours, known := themes[name]
	if !known {
		return fmt.Errorf("there is no theme %q", name)
	}
	names, lines, err := readLines(in)
	if err != nil {
		return err
	}
	if len(lines) > len(colours.lines) {
		return fmt.Errorf("%d lines, and colours for %d", len(lines), len(colours.lines))
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := newPlot(colours, title, x, y)
	for i, points := range lines {
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = colours.lines[i], vg.Points(2)
		dots.Color, dots.Shape, dots.Radius = colours.lines[i], shapes[i], vg.Points(3.5)
		p.Add(line, dots)
		p.Legend.Add(names[i], line, dots)
	}
	canvas := vgsvg.New(vg.Points(454), vg.Points(255))
	whole, margin := draw.New(canvas), vg.Points(10)
	whole.SetColor(colours.page)
	whole.Fill(whole.Path())
	p.Draw(draw.Crop(whole, margin, -2*margin, margin, -margin))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	// The font has the measures of Arial, which more readers have.
	text := bytes.ReplaceAll(
		svg.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"),
	)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

func newPlot(colours theme, title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the margin has it too
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.X.Padding, p.Y.Padding = vg.Points(8), 0, 0
	p.X.Min, p.Y.Min = 0, 0
	p.Title.TextStyle.Color, p.Legend.TextStyle.Color = colours.text, colours.text
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Label.TextStyle.Color = colours.grid, colours.text
		axis.Tick.Color, axis.Tick.Label.Color = colours.grid, colours.text
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = vg.Points(12), vg.Points(-6), vg.Points(3)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = colours.grid, colours.grid
	grid.Vertical.Width, grid.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	p.Add(grid)
	return p
}

// readLines returns the name and the points of each line.
func readLines(in io.Reader) (names []string, lines []plotter.XYs, err error) {
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	if len(rows) < 3 || len(rows[0]) < 2 {
		return nil, nil, errors.New("a line needs two points")
	}
	names = rows[0][1:]
	lines = make([]plotter.XYs, len(names))
	for _, row := range rows[1:] {
		values := make([]float64, len(row))
		for i, text := range row {
			if values[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, nil, err
			}
		}
		for i := range lines {
			lines[i] = append(lines[i], plotter.XY{X: values[0], Y: values[i+1]})
		}
	}
	return names, lines, nil
}
