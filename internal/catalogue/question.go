package catalogue

import "context"

// question is the question of a caller, or the request for a token. The scheduler knows only its endpoint and context.
type question struct {
	to Endpoint
	// ctx is that of the first caller who asks it, without its end. Loggers are among its values.
	ctx context.Context
	// read reads the body of a success.
	read func(*incoming) (any, error)
}
