// Package group is group commit: updates of one store that come while another is being written wait
// together, and the first of them then writes for all, at the price of one. It knows no store: who
// leads takes the turns that wait ([Queue.Take]), runs them, and passes the lead on
// ([Queue.Pass]).
//
// Nothing of it outlives the process: a crash leaves what the leader had written.
package group
