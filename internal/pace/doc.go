// Package pace decides when the next request of a process may be sent. It is pure: time comes in through parameters.
//
// Pace asks four, and the last to agree decides: the pause that the service asked for; the ceiling that the operator
// set; the congestion window, which lets no more be in flight after a pause than were let through since; and the
// allowance that refusals taught. That is a window of so many requests where Retry-After tells how long it is, and a
// rate along the curve of CUBIC where Retry-After is a second.
//
// Beyond that simplest thing these are here, each for cells of the table in BENCHMARKS.md:
//
//   - a window that leaves less than half of its limit was taken for too short a one (begun at any phase of a window);
//   - a limit that nobody confirmed is probed at once, by 1, 2, 4, … (stray refusals, after others took everything);
//   - a window grows by up to a second where hardly anything is missing (4 s windows, answers of 0.6 s and more);
//   - a rate begins with what its last second let through, and with half of what was in flight (10 a second, 0.6 s);
//   - a refusal that contradicts what has held for long is waited out once (stray refusals of 30 s);
//   - two requests fit into a token's life, and at least 2.5 are sent in one (tokens of seconds).
package pace
