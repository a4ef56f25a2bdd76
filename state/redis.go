package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"
)

// Times of a call to Redis. It is a neighbour: one that takes longer is as good as
// down, and the requests that need it go on without.
const (
	dialTimeout = 500 * time.Millisecond
	callTimeout = time.Second
	downFor     = time.Second // after failures, until it is tried again
	maxFailures = 3           // in a row, before it counts as down
)

// prefix begins every key, so that a Redis may serve others too.
const prefix = "lexagent:"

// Redis is a Store that processes share. It is safe for concurrent use; close it.
type Redis struct {
	client  *redis.Client
	breaker *gobreaker.CircuitBreaker[any]
}

func init() { redis.SetLogger(silent{}) }

// silent takes what the client would print: callers get every error as a value.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// OpenRedis makes a client for redis://[user:password@]host:port/db, or rediss://
// for TLS. It does not call the server: one that is down may come up later.
func OpenRedis(url string) (*Redis, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("the address of Redis must look like redis://127.0.0.1:6379/0") // its own error repeats the password
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = dialTimeout, callTimeout, callTimeout, callTimeout
	o.ContextTimeoutEnabled = true
	o.MaxRetries, o.DialerRetries = -1, 1
	return &Redis{redis.NewClient(o), gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
		Timeout:     downFor,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= maxFailures },
		IsSuccessful: func(err error) bool {
			return err == nil || errors.Is(err, redis.Nil) || errors.Is(err, context.Canceled)
		},
	})}, nil
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

// call runs fn where Redis is thought to be up. Its errors are ErrNone, the
// context's, or wrap ErrDown.
func (r *Redis) call(ctx context.Context, fn func(context.Context) error) error {
	_, err := r.breaker.Execute(func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		return nil, fn(ctx)
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, redis.Nil):
		return ErrNone
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrDown, err)
}

// talkKey is the key of a conversation. Owners are ids of keys and have no colon.
func talkKey(owner, id string) string { return prefix + "talk:" + owner + ":" + id }

// Turns implements Conversations.
func (r *Redis) Turns(ctx context.Context, owner, id string) ([]Turn, error) {
	var found []string
	err := r.call(ctx, func(ctx context.Context) (err error) {
		found, err = r.client.LRange(ctx, talkKey(owner, id), 0, -1).Result()
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNone
	}
	lines := make([][]byte, len(found))
	for i, f := range found {
		lines[i] = []byte(f)
	}
	return decodeTurns(lines)
}

// Append implements Conversations.
func (r *Redis) Append(ctx context.Context, owner, id string, keep time.Duration, turns ...Turn) error {
	lines, err := encodeTurns(turns)
	if err != nil {
		return err
	}
	values := make([]any, len(lines))
	for i, l := range lines {
		values[i] = l
	}
	key := talkKey(owner, id)
	return r.call(ctx, func(ctx context.Context) error {
		_, err := r.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.RPush(ctx, key, values...)
			p.LTrim(ctx, key, -MaxTurns, -1)
			p.PExpire(ctx, key, keep)
			return nil
		})
		return err
	})
}

// Forget implements Conversations.
func (r *Redis) Forget(ctx context.Context, owner, id string) error {
	return r.call(ctx, func(ctx context.Context) error {
		n, err := r.client.Del(ctx, talkKey(owner, id)).Result()
		if err == nil && n == 0 {
			return redis.Nil
		}
		return err
	})
}

// Get implements Cache.
func (r *Redis) Get(ctx context.Context, key string) (b []byte, err error) {
	err = r.call(ctx, func(ctx context.Context) (err error) {
		b, err = r.client.Get(ctx, prefix+"cache:"+key).Bytes()
		return err
	})
	return b, err
}

// Put implements Cache.
func (r *Redis) Put(ctx context.Context, key string, value []byte, keep time.Duration) error {
	if len(value) > MaxValue {
		return ErrTooLarge
	}
	return r.call(ctx, func(ctx context.Context) error { return r.client.Set(ctx, prefix+"cache:"+key, value, keep).Err() })
}

// unlockScript deletes a lock that is still its holder's.
var unlockScript = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)

// Lock implements Cache.
func (r *Redis) Lock(ctx context.Context, key string, hold time.Duration) (unlock func(), got bool, err error) {
	name, mine := prefix+"lock:"+key, rand.Text()
	err = r.call(ctx, func(ctx context.Context) error {
		return r.client.SetArgs(ctx, name, mine, redis.SetArgs{Mode: "NX", TTL: hold}).Err()
	})
	switch {
	case errors.Is(err, ErrNone):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return func() {
		// The caller may have been cancelled; the lock goes all the same, or by itself later.
		_ = r.call(context.WithoutCancel(ctx), func(ctx context.Context) error {
			return unlockScript.Run(ctx, r.client, []string{name}, mine).Err()
		})
	}, true, nil
}

// useScript counts ARGV[1] towards ARGV[2] in a window of ARGV[3] ms, in one step;
// it returns whether it was allowed, what is used, and the rest of the window.
var useScript = redis.NewScript(`
local n, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if limit > 0 and used + math.max(n, 1) > limit then
  local left = redis.call('PTTL', KEYS[1])
  return {0, used, left > 0 and left or tonumber(ARGV[3])}
end
if n > 0 then
  used = redis.call('INCRBY', KEYS[1], n)
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
end
local left = redis.call('PTTL', KEYS[1])
return {1, used, left > 0 and left or tonumber(ARGV[3])}`)

// Use implements Limits.
func (r *Redis) Use(ctx context.Context, key string, n, limit int, window time.Duration) (a Allowance, err error) {
	err = r.call(ctx, func(ctx context.Context) error {
		v, err := useScript.Run(ctx, r.client, []string{prefix + "use:" + key}, n, limit, window.Milliseconds()).Int64Slice()
		if err == nil && len(v) == 3 {
			a = Allowance{OK: v[0] == 1, Used: int(v[1]), Reset: time.Duration(v[2]) * time.Millisecond}
		}
		return err
	})
	return a, err
}

// Check implements Store.
func (r *Redis) Check(ctx context.Context) error {
	return r.call(ctx, func(ctx context.Context) error { return r.client.Ping(ctx).Err() })
}

// Interface guard.
var _ Store = (*Redis)(nil)
