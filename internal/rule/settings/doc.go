// Package settings owns the configuration of a store, and how a JSON text that people write is held
// against a table of what may stand in it: a configuration, or what a single session has of its
// own. It opens no store and touches no disk, so a crash leaves nothing of it.
//
// [Members] declares each member of config.json once: the values that it may have, its default, the
// field of [Config] that it fills, its effect or the reason for none, and the layer that counts.
// From it come [Default], [Parse], [Config.Settings], [Change], and the table in docs/config.md,
// which a test holds against it.
//
// A [Table] has a row for each member that has a value of its own, by its dotted name, as in
// "storage.auto_compact". The objects on the way to it need no rows. A part of a name that is [Any]
// stands for whatever name is there, as in "decay.type_specific.*.half_life_hours". A member that
// is null counts as one that is not there.
//
// [Table.Read] checks a text and returns what stands in it, with lines. It is strict: a name that
// no row has, a value of another kind and one out of bounds are a [*Fault], which has line, name
// and reason, and the name that is nearest where the name is unknown. What the values mean is the
// caller's, which can decode a text that was read here without surprises.
//
// [Set] and [Remove] change one member in the text itself: every other byte stays, order and
// spelling too, and a new member is written as its neighbours are. What Set adds to a text without
// empty objects, Remove takes out to the byte.
package settings
