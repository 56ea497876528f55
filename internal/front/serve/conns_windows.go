package serve

// maxConns returns how many connections of each kind this process may have.
func maxConns() int { return MaxConns }
