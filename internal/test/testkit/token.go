package testkit

// Token looks like a secret and never was one, put together so that no scanner takes this file for
// a leak.
const Token = "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J0kAlBmCnDoEpFqGr"
