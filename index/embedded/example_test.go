package embedded_test

import (
	"context"
	"fmt"
	"os"

	"lexagent/index"
	"lexagent/index/embedded"
	"lexagent/statute"
)

// A generation is built, put in use, opened and searched.
func Example() {
	root, err := os.MkdirTemp("", "index")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(root) }()
	if err := exampleBuild(root); err != nil {
		fmt.Println(err)
		return
	}
	store, err := embedded.Open(root)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	query := store.Query("公司没签劳动合同，能要双倍工资吗？")
	hits, err := store.SearchSparse(context.Background(), query, index.Filter{AsOf: 20240101}, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hits[0].ID)
	// Output: 劳动合同法@2012-12-28:82
}

func exampleBuild(root string) error {
	ctx := context.Background()
	analyzer, err := index.NewAnalyzer()
	if err != nil {
		return err
	}
	builder, err := embedded.NewBuilder(root, analyzer, embedded.Options{})
	if err != nil {
		return err
	}
	for _, d := range []index.Doc{
		{ID: "劳动合同法@2012-12-28:82", Law: "劳动合同法@2012-12-28", Collection: "public", Kind: statute.Article, Level: statute.PrimaryStatute,
			From: 20130701, Text: index.Compose("中华人民共和国劳动合同法", []string{"第七章 法律责任"}, "第八十二条",
				"用人单位自用工之日起超过一个月不满一年未与劳动者订立书面劳动合同的，应当向劳动者每月支付二倍的工资。")},
		{ID: "民法典@2020-05-28:1077", Law: "民法典@2020-05-28", Collection: "public", Kind: statute.Article, Level: statute.PrimaryStatute,
			From: 20210101, Text: index.Compose("中华人民共和国民法典", []string{"第四章 离婚"}, "第一千零七十七条",
				"自婚姻登记机关收到离婚登记申请之日起三十日内，任何一方不愿意离婚的，可以撤回离婚登记申请。")},
	} {
		if err := builder.Add(ctx, d); err != nil {
			return err
		}
	}
	name, err := builder.Finish(ctx)
	if err != nil {
		return err
	}
	return embedded.Activate(root, name)
}
