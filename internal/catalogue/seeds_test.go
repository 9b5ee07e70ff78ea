//go:build !race

package catalogue_test

const usualSeeds = 20_000
