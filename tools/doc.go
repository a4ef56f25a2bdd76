// Package tools is what a language model or an MCP client may call: thin Eino tools
// over retrieval, the statute book and verify.
//
// A Kit holds what all callers share. Kit.For gives the tools of one caller, who sees
// only its own collections, and asks about its own day unless a call names another:
//
//	kit := &tools.Kit{Search: engine, Book: b, Check: checker}
//	for _, t := range kit.For(tools.Caller{}) {
//		info, _ := t.Info(ctx)              // name, description, JSON schema
//		out, err := t.InvokableRun(ctx, `{"article":"民法典第1077条"}`)
//	}
//
// Descriptions, results and Problems are written for a model, in the language of the
// statutes: a result is one line of JSON with ids and texts of bounded length, and a
// Problem says what to do next. All other errors are failures of the system; Tell
// turns either into what a model may read.
package tools
