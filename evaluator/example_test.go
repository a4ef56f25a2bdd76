package evaluator_test

import (
	"fmt"
	"log"
	"strings"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/evaluator/run"
)

func ExampleEvaluate() {
	found, err := run.Read(strings.NewReader(`{"id":"q1","hits":[{"id":"民法典@2020-05-28:1076"},{"id":"民法典@2020-05-28:1077"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	gold, err := dataset.Read(strings.NewReader(`{"id":"q1","question":"离婚冷静期多久？","gold":[{"article_id":"民法典@2020-05-28:1077"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	report, err := evaluator.Evaluate(found, gold, evaluator.Options{K: []int{1, 5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Metrics["recall@1"].Value, report.Metrics["recall@5"].Value, report.Metrics["mrr"].Value)
	// Output: 0 1 0.5
}

func ExampleCompare() {
	read := func(s string) *run.Run {
		r, err := run.Read(strings.NewReader(s))
		if err != nil {
			log.Fatal(err)
		}
		return r
	}
	gold, err := dataset.Read(strings.NewReader("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n"))
	if err != nil {
		log.Fatal(err)
	}
	bm25 := read("q1 Q0 x 1 9 bm25\nq2 Q0 x 1 9 bm25\nq3 Q0 x 1 9 bm25\n")
	hybrid := read("q1 Q0 a 1 9 hybrid\nq2 Q0 b 1 9 hybrid\nq3 Q0 c 1 9 hybrid\n")
	c, err := evaluator.Compare(bm25, hybrid, gold, evaluator.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p := c.Paired.Metrics["recall@1"]
	fmt.Println(p.Difference, p.P) // three questions are too few to be sure
	// Output: 1 0.25
}

func ExampleSeenGroups() {
	train, err := dataset.Read(strings.NewReader("t1 0 a 1\n"))
	if err != nil {
		log.Fatal(err)
	}
	dev, err := dataset.Read(strings.NewReader("q1 0 a 1\nq2 0 b 1\nq3 0 a 1\nq3 0 b 1\n"))
	if err != nil {
		log.Fatal(err)
	}
	groups := evaluator.SeenGroups(train, dev).Of
	fmt.Println(groups["q1"], groups["q2"], groups["q3"])
	// Output: seen unseen mixed
}
