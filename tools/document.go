package tools

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Bounds of a document that is taken in through a tool.
const (
	maxDocument = 200_000 // characters
	maxTitle    = 100
)

// IndexDocument is the name of the one tool that writes.
const IndexDocument = "index_document"

type documentIn struct {
	Title string `json:"title" jsonschema:"required" jsonschema_description:"文件的标题，如：某某公司考勤管理办法；同名的旧文件会被替换"`
	Text  string `json:"text" jsonschema:"required" jsonschema_description:"文件全文，纯文本或 Markdown"`
}

type documentOut struct {
	Collection string `json:"collection"`
	Units      int    `json:"units"`
	Next       string `json:"next"`
}

func (r *runner) indexDocument() *typed[documentIn] {
	return newTool(IndexDocument, "把一份文件存入调用者自己的文件库，之后可用 search_documents 查到。只在用户明确要求保存时使用。",
		func(ctx context.Context, in documentIn) (any, error) {
			in.Title = strings.Join(strings.Fields(in.Title), " ")
			own := r.own()
			switch {
			case len(own) == 0:
				return nil, problem("没有可写入的文件库：只有公共法规库可读。请告诉用户。")
			case in.Title == "" || utf8.RuneCountInString(in.Title) > maxTitle:
				return nil, problem("title 应当有 1 到 %d 个字。", maxTitle)
			case strings.TrimSpace(in.Text) == "":
				return nil, problem("text 是空的：写文件全文。")
			case utf8.RuneCountInString(in.Text) > maxDocument:
				return nil, problem("text 太长：最多 %d 字。把文件分成几份存入。", maxDocument)
			}
			units, err := r.kit.Indexer.Index(ctx, own[0], in.Title, in.Text)
			if err != nil {
				return nil, err
			}
			return documentOut{own[0], units, "已存入，可用 search_documents 检索。"}, nil
		})
}
