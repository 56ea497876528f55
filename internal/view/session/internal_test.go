package session

// PercentilesOf is that of operations that took so long.
var PercentilesOf = percentilesOf
