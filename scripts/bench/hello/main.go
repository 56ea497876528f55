// Command hello is the smallest program that the command-line library of mem makes possible: it parses its flags and prints one line.
// No answer of `mem get` can come faster than this, so it is the floor that reads are measured over.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{
		Use:  "hello",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "hello")
			return err
		},
	}
	if root.Execute() != nil {
		os.Exit(2)
	}
}
