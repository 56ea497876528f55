// Package records has the verbs of records: events, decisions, tasks, handoffs, artifacts,
// sessions, the journals and cores of agents, and the bundle that is made of them.
package records
