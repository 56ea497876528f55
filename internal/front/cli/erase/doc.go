// Package erase has the verbs that delete: rm and forget. Session and agent, in package records,
// purge with the same question and the same proof.
package erase
