// Command mutants measures the tests of the rules: it changes one place of the root package or of
// internal/rule/policy at a time, and counts the changes after which some test fails.
//
//	go run ./scripts/mutants -n 300
//
// All mutants are joined into one binary for the tests of each package, and a variable of the
// environment chooses the one that is active, so that a mutant costs a run of the tests and no
// build. The method is of Untch, Offutt and Harrold, "Mutation analysis using mutant schemata"
// (ISSTA 1993). A mutant that does not compile beside the others is compiled alone; one that does
// not compile alone is drawn anew; one that hangs counts as killed.
//
// The places are drawn by the hash of the commit, so that a run can be repeated. The tree is not
// touched: the compiler reads an overlay. testdata/mutants-equivalent lists the mutants that change
// nothing, with the reasons; they are not counted. Below 90 % the exit code is 1.
//
//	GOMAXPROCS=1 go run ./scripts/mutants -n 200 -lives 300 -seed SEED
//
// holds lives (internal/test/life) against the tests of the packages that they are about, on
// mutants of conditions alone, and lists those that the tests kill and the lives do not. Each life
// is run once without a mutant, which notes the mutants that would have changed something in it,
// and then with those alone: with any other it is the same life. A mutant that survives the first
// of them is given to the tests, and the rest is run where these kill it.
package main
