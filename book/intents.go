package book

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"lexagent/prompts"
	"lexagent/statute"
)

// Grade is how well somebody tells what articles are for. What a better one has told
// stays when a lesser one comes along.
type Grade int

// The grades.
const (
	ByRules      Grade = iota + 1 // words that give it away
	ByClassifier                  // a trained model
	ByLLM                         // a language model
)

// Unlabelled returns the laws whose present units nobody of this grade has told the
// intents of, or another of the same grade, in the order of AllLaws.
func (b *Book) Unlabelled(ctx context.Context, grade Grade, by string) ([]*statute.Law, error) {
	laws, err := b.lawsBy(ctx, `SELECT DISTINCT collection, id FROM laws
		WHERE NOT EXISTS (SELECT 1 FROM labelled d WHERE d.collection = laws.collection AND d.law = laws.id
			AND (d.grade > ? OR d.grade = ? AND d.labeler = ?))`, grade, grade, by)
	if err != nil {
		return nil, fmt.Errorf("find laws without intents: %w", err)
	}
	return laws, nil
}

// PutIntents replaces the intents of a law's units, which are told by their ids.
func (w *Writer) PutIntents(ctx context.Context, l *statute.Law, grade Grade, by string, odds map[string]prompts.Odds) error {
	if err := w.forgetIntents(ctx, l.Collection, l.ID); err != nil {
		return err
	}
	for unit, p := range odds {
		raw, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("the intent of %s: %w", unit, err)
		}
		if _, err := w.intent.ExecContext(ctx, l.Collection, l.ID, unit, p.Best(), raw); err != nil {
			return fmt.Errorf("store the intent of %s: %w", unit, err)
		}
	}
	if _, err := w.labelled.ExecContext(ctx, l.Collection, l.ID, grade, by); err != nil {
		return fmt.Errorf("store the intents of %s: %w", l.ID, err)
	}
	return nil
}

// forgetIntents takes out the intents of a law, whose texts are others now.
func (w *Writer) forgetIntents(ctx context.Context, collection, law string) error {
	for _, q := range []*sql.Stmt{w.unlabel, w.unintend} {
		if _, err := q.ExecContext(ctx, collection, law); err != nil {
			return fmt.Errorf("forget the intents of %s: %w", law, err)
		}
	}
	return nil
}

// Intents returns what a unit is for; zeros where nobody has told.
func (b *Book) Intents(ctx context.Context, collection, law, unit string) (odds prompts.Odds, err error) {
	if b.intent == nil {
		return prompts.Odds{}, nil
	}
	var raw []byte
	err = b.intent.QueryRowContext(ctx, collection, law, unit).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return prompts.Odds{}, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &odds)
	}
	if err != nil {
		return prompts.Odds{}, fmt.Errorf("read the intent of %s: %w", unit, err)
	}
	return odds, nil
}

// CountIntents counts the units by what they are likeliest for.
func (b *Book) CountIntents(ctx context.Context) (_ map[prompts.Intent]int, err error) {
	rows, err := b.db.QueryContext(ctx, "SELECT intent, count(*) FROM intents GROUP BY intent")
	if err != nil {
		return nil, fmt.Errorf("count the intents: %w", err)
	}
	defer rows.Close()
	counts := map[prompts.Intent]int{}
	for rows.Next() {
		var i prompts.Intent
		var n int
		if err := rows.Scan(&i, &n); err != nil {
			return nil, fmt.Errorf("count the intents: %w", err)
		}
		counts[i] = n
	}
	return counts, rows.Err()
}
