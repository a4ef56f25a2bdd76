package state

import (
	"context"
	"errors"
	"time"
)

// makingTime bounds how long others wait for one that makes a value.
const makingTime = time.Minute

// Once returns the value under key, and has it made where there is none: by one
// caller at a time, over all processes that share the cache, while the others wait.
// found says that it was not made by this caller. make also tells how long its value
// is good for, 0 for one that is not to be kept. A cache that is out of reach, or a
// value that it can't take, costs only the saving.
func Once(ctx context.Context, c Cache, key string, make func(context.Context) ([]byte, time.Duration, error)) (value []byte, found bool, err error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		if value, err = c.Get(ctx, key); err == nil {
			return value, true, nil
		}
		if !errors.Is(err, ErrNone) {
			break
		}
		unlock, got, err := c.Lock(ctx, key, makingTime)
		if err != nil {
			break
		}
		if got {
			defer unlock()
			break
		}
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-time.After(wait):
		}
	}
	value, keep, err := make(ctx)
	if err == nil && keep > 0 {
		_ = c.Put(ctx, key, value, keep) // it can be made again
	}
	return value, false, err
}
