package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func configCommand(c *config) *cobra.Command {
	var example bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in effect, or all there are",
		Long: "Prints the settings in effect as YAML: defaults, what a file (--config) changes, what variables change, in this\n" +
			"order of strength. Secrets and passwords are masked.",
		Example: "  lexagent config --config lexagent.yaml\n  lexagent config --example > lexagent.yaml",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&example, "example", false, "print every setting with its default, what it means, and its variable")
	cmd.RunE = func(*cobra.Command, []string) error {
		if example {
			d := defaultConfig()
			fmt.Print("# Settings of LexAgent. Each can be left out; the values here are the defaults.\n\n" + yamlOf(&d, true))
			return nil
		}
		fmt.Print(yamlOf(c, false))
		return nil
	}
	return cmd
}
