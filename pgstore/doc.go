// Package pgstore keeps memories in PostgreSQL.
package pgstore
