package milvus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	grpcretry "github.com/grpc-ecosystem/go-grpc-middleware/retry"
	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// ErrUnavailable is returned when the server can't be reached or doesn't answer in
// time.
var ErrUnavailable = errors.New("is it running?")

// Client is a connection to Milvus under one prefix. It comes back by itself after
// the server was away, and is safe for concurrent use.
type Client struct {
	o   Options
	sdk client.Client
}

// Dial connects. The server must be there.
func Dial(ctx context.Context, o Options) (*Client, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	sdk, err := client.NewClient(ctx, client.Config{
		Address: o.Address, Username: o.User, Password: o.Password, DBName: o.Database, EnableTLSAuth: o.TLS,
		DialOptions: dialOptions(), DisableConn: true, // registers nothing that a restarted server would have forgotten
	})
	if err != nil {
		return nil, fmt.Errorf("the address %q of Milvus can't be used: %w", o.Address, err)
	}
	c := &Client{o: o, sdk: sdk}
	err = c.read(ctx, "connect", func(ctx context.Context) error {
		_, err := sdk.HasCollection(ctx, o.Prefix) // what needs the user's rights
		return err
	})
	if err != nil {
		return nil, errors.Join(err, sdk.Close())
	}
	return c, nil
}

// dialOptions leave retries to this package, which knows what may wait and for how
// long, and let a connection that broke be tried again soon.
func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpcretry.Disable()),
	}
}

// Close closes the connection, also for the stores opened from it.
func (c *Client) Close() error { return c.sdk.Close() }

// read makes a call of a search, which may be repeated.
func (c *Client) read(ctx context.Context, what string, call func(context.Context) error) error {
	return c.do(ctx, what, c.o.Timeout, c.o.Patience, call)
}

// readFrom makes a call of a search in a collection. A server may come back from a
// restart without its collections in memory (milvus-lite does); they are loaded
// again.
func (c *Client) readFrom(ctx context.Context, collection, what string, call func(context.Context) error) error {
	return c.read(ctx, what, func(ctx context.Context) error {
		err := call(ctx)
		if err == nil || isAway(err) || ctx.Err() != nil || !c.wake(ctx, collection) {
			return err
		}
		return call(ctx)
	})
}

// wake loads a collection that isn't loaded, and reports whether it is now: another call
// may have been the first to notice.
func (c *Client) wake(ctx context.Context, collection string) bool {
	state, err := c.sdk.GetLoadState(ctx, collection, nil)
	if err != nil {
		return false
	}
	return state == entity.LoadStateLoaded || c.sdk.LoadCollection(ctx, collection, false) == nil
}

// write makes a call that builds a generation. All of them may be repeated.
func (c *Client) write(ctx context.Context, what string, call func(context.Context) error) error {
	return c.do(ctx, what, writeTimeout, writePatience, call)
}

// do makes a call, and again after growing pauses while the server is away, for as
// long as patience lasts.
func (c *Client) do(ctx context.Context, what string, timeout, patience time.Duration, call func(context.Context) error) error {
	const longest = 2 * time.Second
	deadline := time.Now().Add(patience)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, longest) {
		err := once(ctx, timeout, call)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
		away := isAway(err)
		if !away || time.Now().Add(pause).After(deadline) {
			return c.explain(what, err, away)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func once(ctx context.Context, timeout time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return call(ctx)
}

// isAway tells a server that can't be reached, or is starting, from one that
// refuses.
func isAway(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted, codes.Aborted:
		return true
	}
	return false
}

// explain makes one sentence of an error of the server or the way to it.
func (c *Client) explain(what string, err error, away bool) error {
	s, isStatus := status.FromError(err)
	late := errors.Is(err, context.DeadlineExceeded) || isStatus && s.Code() == codes.DeadlineExceeded
	switch {
	case late:
		return fmt.Errorf("%s: Milvus at %s did not answer in time; %w", what, c.o.Address, ErrUnavailable)
	case away:
		return fmt.Errorf("%s: Milvus at %s can't be reached; %w", what, c.o.Address, ErrUnavailable)
	case isStatus && s.Code() != codes.Unknown:
		return fmt.Errorf("%s: Milvus at %s refuses: %s", what, c.o.Address, oneLine(s.Message()))
	}
	var own *ownError
	if errors.As(err, &own) {
		return own.err
	}
	return fmt.Errorf("%s: Milvus at %s: %s", what, c.o.Address, oneLine(err.Error()))
}

// ownError marks an error of this package within a call, to keep its identity.
type ownError struct{ err error }

func (e *ownError) Error() string { return e.err.Error() }

// oneLine takes the first line of a message; servers append their stack.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
