// noop: a process that does nothing. Its time is the cost of measuring, which every other figure contains.
int main(void) { return 0; }
