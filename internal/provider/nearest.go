package provider

// nearest are the texts that a mistaken one is most like, none where each takes
// more than so many changes.
func nearest(mistaken string, known []string, changes int) []string {
	var best []string
	for _, text := range known {
		n := distance(mistaken, text)
		if n > changes {
			continue
		}
		if n < changes {
			best, changes = nil, n
		}
		best = append(best, text)
	}
	return best
}

// distance is how many letters have to be changed, put in or left out to make one
// text of the other. Two neighbours that have changed places count as one change,
// because they are one slip of the hand (optimal string alignment).
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	// Rows of the table of distances between the beginnings of both: this one and the two before it.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			changed := last[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
