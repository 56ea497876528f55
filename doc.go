// Package mem is an agent's memory: the [Store], and the rules that hold for every caller and every
// backend. It is the public API of everything that the command mem can do.
//
// What may be written, conditions, batches, quarantine, configuration, the journal and the results
// of the verbs are here. The meaning of a note, or the memories injected into a conversation, are
// the business of a view above it; how bytes are made durable and found again, that of a store
// below it (package backend is the seam).
//
// # A write
//
// [Store.Set] begins an [Operation]. [Operation.Check] brings the write into the form in which it
// is stored, and package policy decides whether it may enter: sizes, secrets, provenance. What
// lacks provenance is refused, or with SetOptions.Quarantine kept below /untrusted. None of this
// needs a lock.
//
// [Operation.Update] then runs a function within an update of the backend, which excludes all
// others. The function sees the live records, decides (compare-and-set, the number of a note), and
// puts checked writes into the [Tx]. It may share the lock, the append and the sync with other
// updates, and it may run again, so it has no other effects. When Update returns nil, or an error
// that wraps backend.ErrStored, all that it put is durable. After a backend.UnknownError, which
// only a server's answer that was lost can cause, nobody knows whether it is; after any other error
// none of it is there. Each write, or the error, is a line in the journal.
//
// A command of a program may write by several operations, and to several stores. Its lines in each
// journal have its id (Caller.Command) and the roots of the other stores that it wrote to before:
//
//	{"at":"...","op":"move",...,"command":"9f3c2b1a7d604e58",
//	"also":["/home/ada/.local/share/mem"]}
//
// The stores that it wrote to before get a line without op, with the id and the new root, just
// before the append. By these lines mem undo --last (package edit) finds all that a command wrote;
// where a store or its lines cannot be found, it takes nothing back. undoes is the id of a command
// that was taken back. The journal is capped and best effort: nothing else depends on it.
// [Operation.UpdateWith] updates several stores as one, apart from a crash between their appends.
//
// # A read
//
// A backend.Snapshot is the live records at one moment, without a lock. [Store.Read] asks it to
// rank what may be shown and packs the best into a budget of tokens (package readout);
// [Store.Search] asks it for what fits a query (package fts); [Store.List] walks what lies below a
// prefix; [Store.Get] asks for one key without a snapshot. Expired memories are left out, a read or
// a search shows no quarantined ones (policy.Visible), and an agent's private memories are absent
// for any other [Caller] (policy.Permits). A superseded memory (content.Successor) appears in no
// read, and in a search only on demand.
//
// A memory is as old as its content says (content.Fields.Time): by that it is ranked, listed and
// chosen. Which of two writes is the newer, their ts alone decides.
//
// [JoinStores] reads several stores as one (package union): the first that has a key shows it, one
// score holds over all, and records say which layer they are from. Writes go to one of them:
// package layers, a view, routes a call to the stores of the user and of the project.
//
// # Views
//
// A view gives a namespace its meaning, or is a way to work with stored memories. It stands above
// the Store, as a package of its own, and uses nothing of it that is not exported. It takes a
// [Caller]; it writes through an Operation, so that every rule holds and the journal knows of it;
// and it keeps its data in envelopes below its prefix, so that history, export, search and merge
// have them, too. It runs on every backend; its tests run on files and in memory
// (storetest.EachKind). A whole view:
//
//	// Bookmark is a page to come back to.
//	type Bookmark struct{ Name, URL string }
//
//	var shelf, _ = keypath.ParsePrefix("/bookmark")
//
//	// Add keeps a bookmark under its name, unless that is taken.
//	func Add(ctx context.Context, s *mem.Store, c mem.Caller, b Bookmark) error {
//		key, badName := keypath.Parse(shelf.String() + "/" + b.Name)
//		content, badText := json.Marshal(b)
//		op, err := s.Begin(c, mem.NewOperation("bookmark"))
//		if err := errors.Join(badName, badText, err); err != nil {
//			return err
//		}
//		source := op.Source("user", "bookmarks", "url", b.URL)
//		w := mem.Write{Key: key, Content: content, Source: source}
//		checked, err := op.Check(ctx, w, false) // provenance, sizes, secrets
//		if err != nil {
//			return err
//		}
//		_, err = op.Update(ctx, func(tx *mem.Tx) error { // nobody else writes meanwhile
//			if _, taken, err := tx.Get(ctx, key); err != nil || taken {
//				return cmp.Or(err, mem.ErrConflict)
//			}
//			return tx.Put(checked)
//		})
//		return err
//	}
//
//	// List returns the bookmarks by name.
//	func List(ctx context.Context, s *mem.Store, c mem.Caller) (list []Bookmark, err error) {
//		err = s.List(ctx, c, mem.Filter{Prefix: shelf}, func(rec log.Record) error {
//			list = append(list, Bookmark{})
//			return json.Unmarshal(rec.Content, &list[len(list)-1])
//		})
//		return list, err
//	}
//
// # Decisions beyond the design
//
// A batch is checked as a whole before its first byte is written, but stored in groups of 10,000
// lines or 4 MiB, each an update of its own, so that other writers come in between. After a crash
// whole groups are stored, or lines up to some point within one; each line is complete.
//
// In a batch, a line that brings its time is an import. It is left out where the history has
// something as new for its key, a tombstone included, so nothing that was deleted comes back.
//
// The configuration is read again when it changes, so a Store may be held open for long; and a root
// that was replaced by its path is opened anew. What writes goes by [Store.Config], which fails on
// a wrong file: a misspelt limit must not be one that nobody has set. What only reads goes by
// [Store.ConfigToRead], for a memory that cannot be read is worse than one ranked by the defaults.
//
// [Store.Delete] of a key without a live memory writes no tombstone and says so: an agent that
// misspells a key should hear of it.
package mem
