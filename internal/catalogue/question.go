package catalogue

import "context"

// question is the question of a caller, or the wish for a token. The scheduler knows only its endpoint.
type question struct {
	to Endpoint
	// ctx is that of the first caller who asks it, without its end. Loggers are among its values.
	ctx context.Context
	// ask makes one exchange.
	ask func(ctx context.Context, sent *attempt) (value any, err error)
}
