// Package pace decides when the next request of a process may be sent: the pause
// that the service asked for, the ceiling that the operator set, and the allowance
// that refusals taught. It is pure: time comes in through parameters.
package pace
