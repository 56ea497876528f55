package term

// Layout is how people are shown a time, in their own zone.
const Layout = "2006-01-02 15:04:05"
