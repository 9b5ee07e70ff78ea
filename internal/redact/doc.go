// Package redact makes texts that strangers wrote fit to be shown: without secrets,
// without control characters, and of a bounded length.
//
// A [Mask] finds a secret however it is spelled. [Printable] and [Shorten] are the
// other two steps of its Tidy.
package redact
