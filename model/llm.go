package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
)

// LLMOptions says where the language model is. Any endpoint that speaks the
// OpenAI protocol will do.
type LLMOptions struct {
	URL     string        // base URL, such as http://127.0.0.1:8181/v1
	Model   string        // the endpoint's name of the model
	Key     string        // secret; from the environment only, never printed
	Timeout time.Duration // of one call; 0 = two minutes
}

// defaultLLMTimeout is long enough for a small model on a slow machine.
const defaultLLMTimeout = 2 * time.Minute

// Set reports whether a language model is configured.
func (o LLMOptions) Set() bool { return o.URL != "" }

// OpenLLM makes a client for a language model. It does not call it: a dead
// endpoint shows at the first question, and the answer says so.
func OpenLLM(ctx context.Context, o LLMOptions) (model.BaseChatModel, error) {
	if !strings.HasPrefix(o.URL, "http://") && !strings.HasPrefix(o.URL, "https://") {
		return nil, fmt.Errorf("the language model's address %q must begin with http:// or https://", o.URL)
	}
	if o.Model == "" {
		return nil, errors.New("the language model has an address and no name: set LEXAGENT_LLM_MODEL")
	}
	if o.Timeout == 0 {
		o.Timeout = defaultLLMTimeout
	}
	key := o.Key
	if key == "" {
		key = "none" // local endpoints need none, and the client insists on one
	}
	temperature := float32(0)
	chat, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{
		BaseURL: o.URL, APIKey: key, Model: o.Model, Temperature: &temperature,
		HTTPClient: &http.Client{Transport: transport{http.DefaultTransport, o.Timeout, &busy{}}},
	})
	if err != nil {
		return nil, fmt.Errorf("make a client for the language model: %w", err)
	}
	return chat, nil
}

// LLMFailure turns an error of a call into a few words for the person who asked,
// without addresses, keys or the endpoint's own text.
func LLMFailure(err error) string {
	var api *openai.APIError
	var network net.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "已取消"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "超时"
	case errors.As(err, &api) && api.HTTPStatusCode == http.StatusTooManyRequests:
		return "请求过多"
	case errors.As(err, &api) && (api.HTTPStatusCode == http.StatusUnauthorized || api.HTTPStatusCode == http.StatusForbidden):
		return "密钥无效"
	case errors.As(err, &api):
		return fmt.Sprintf("返回错误 %d", api.HTTPStatusCode)
	case errors.As(err, &network):
		return "无法连接"
	}
	return "返回内容无法读取"
}

// Rejected reports whether an endpoint understood a call and refused it as it stands,
// such as one with tools from a model that has none.
func Rejected(err error) bool {
	var api *openai.APIError
	return errors.As(err, &api) && slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented}, api.HTTPStatusCode)
}
