package serve

// maxConns returns how many connections this process may have.
func maxConns() int { return MaxConns }
