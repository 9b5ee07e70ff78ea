// Package redact makes texts that strangers wrote fit to be shown: without secrets,
// without control characters, and of a bounded length.
//
//	var mask redact.Mask
//	mask.Add(clientSecret)
//	message := mask.Tidy(whatTheServiceSaid, 200)
//
// A [Mask] finds a secret however it is spelled. [Printable] and [Shorten] are the
// other two steps of Tidy.
package redact
