//go:build race

package catalogue_test

const usualSeeds = 2_000 // the race detector takes ten times as long
