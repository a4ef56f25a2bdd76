package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"lexagent/retrieval"
	"lexagent/server/access"
)

func keyCommand(c *config) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make, list and revoke the API keys of serve",
		Long: "The first key closes the server: from then on /v1/ and /mcp need one (Authorization: Bearer …). A running server\n" +
			"follows within a second. Keys are kept in keys.json in the data folder, as digests.",
		Example: "  lexagent key create --name desk --scope ask,search --collection public,firm\n  lexagent key list\n  lexagent key revoke k4f2…",
	}
	cmd.AddCommand(keyCreateCommand(c), keyListCommand(c), keyRevokeCommand(c))
	return cmd
}

func (c *config) keysPath() string { return filepath.Join(c.Data, access.FileName) }

func keyCreateCommand(c *config) *cobra.Command {
	var k access.Key
	var scopes []string
	var days int
	cmd := &cobra.Command{
		Use:     "create --name WHOSE",
		Short:   "Make a key and print it; it is shown this once",
		Example: "  lexagent key create --name desk\n  lexagent key create --name intake --scope ingest --collection uploads --days 90",
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&k.Name, "name", "", "whose key it is, or what for")
	fl.StringSliceVar(&scopes, "scope", []string{string(access.Ask), string(access.Search)}, "what it is for: ask, search, ingest, admin (all of them)")
	fl.StringSliceVar(&k.Collections, "collection", []string{retrieval.DefaultCollection}, "collections it sees, which are searched where a request names none; * for all")
	fl.IntVar(&days, "days", 0, "after how many days it ends (default: never)")
	fl.IntVar(&k.PerMinute, "requests-per-minute", 0, "its own limit (default: the server's)")
	fl.IntVar(&k.TokensDaily, "tokens-per-day", 0, "its own limit of the language model's tokens (default: the server's)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, s := range scopes {
			k.Scopes = append(k.Scopes, access.Scope(s))
		}
		if k.PerMinute < 0 || k.TokensDaily < 0 || days < 0 {
			return errors.New("limits and days can't be negative")
		}
		if days > 0 {
			end := time.Now().UTC().Truncate(time.Second).AddDate(0, 0, days)
			k.Expires = &end
		}
		made, secret, err := access.New(k, time.Now())
		if err != nil {
			return err
		}
		if err := os.MkdirAll(c.Data, 0o755); err != nil {
			return fmt.Errorf("make the data folder: %w", err)
		}
		if err := access.Add(c.keysPath(), made); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "Key %s for %s: %s on %s. Keep it now, it is not shown again.\n", made.ID, made.Name, joined(made.Scopes), strings.Join(made.Collections, ", "))
		fmt.Println(secret)
		return nil
	}
	return cmd
}

func joined[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = string(a)
	}
	return strings.Join(words, ", ")
}

func keyListCommand(c *config) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the keys, without what would open anything",
		Example: "  lexagent key list --json",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines")
	cmd.RunE = func(*cobra.Command, []string) error {
		keys, err := access.Read(c.keysPath())
		if err != nil {
			return err
		}
		if asJSON {
			enc := json.NewEncoder(os.Stdout)
			for i := range keys {
				keys[i].Hash = ""
				if err := enc.Encode(&keys[i]); err != nil {
					return err
				}
			}
			return nil
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tSCOPES\tCOLLECTIONS\tCREATED\tSTATE")
		for i := range keys {
			k := &keys[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, joined(k.Scopes), strings.Join(k.Collections, ", "), k.Created.Format(time.DateOnly), keyState(k))
		}
		return w.Flush()
	}
	return cmd
}

func keyState(k *access.Key) string {
	switch {
	case k.Revoked != nil:
		return "revoked"
	case !k.Active(time.Now()):
		return "expired"
	case k.Expires != nil:
		return "until " + k.Expires.Format(time.DateOnly)
	}
	return "active"
}

func keyRevokeCommand(c *config) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "End a key for good",
		Example: "  lexagent key revoke k4f2…",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return access.Revoke(c.keysPath(), args[0], time.Now())
		},
	}
}
