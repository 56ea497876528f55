// The least that an answer or a write can do. It checks nothing, escapes nothing and heals nothing:
// what mem takes longer than this is what its promises cost.
//
// floor LOG: a read of recent memory. Read the last 64 KiB, print the last line.
//
// floor LOCK LOG DEST: a durable write with a browsable copy. Take the lock, append one line to the
// log with one write, make it durable, rename a small file into place, let go.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 300, WINDOW = 64 * 1024 };

static void must(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

static int must_open(const char *path, int flags) {
    int fd = open(path, flags, 0600);
    must(fd >= 0, path);
    return fd;
}

static void tail(const char *log) {
    static char buf[WINDOW];
    int fd = must_open(log, O_RDONLY);
    struct stat st;
    must(fstat(fd, &st) == 0, "stat");
    ssize_t n = pread(fd, buf, WINDOW, st.st_size > WINDOW ? st.st_size - WINDOW : 0);
    must(n > 0, "read");
    ssize_t start = n - 1;
    while (start > 0 && buf[start - 1] != '\n') start--;
    must(write(1, buf + start, n - start) == n - start, "write");
}

static void set(const char *lock, const char *log, const char *dest) {
    char line[SIZE], temp[4096];
    memset(line, 'x', SIZE);
    line[SIZE - 1] = '\n';
    must(flock(must_open(lock, O_RDWR | O_CREAT), LOCK_EX) == 0, "flock");
    int fd = must_open(log, O_WRONLY | O_CREAT | O_APPEND);
    must(write(fd, line, SIZE) == SIZE, "append");
    must(fdatasync(fd) == 0, "fdatasync");
    must(snprintf(temp, sizeof temp, "%s.tmp", dest) < (int)sizeof temp, "name the temporary file");
    fd = must_open(temp, O_WRONLY | O_CREAT | O_TRUNC);
    must(write(fd, line, SIZE) == SIZE, "write the temporary file");
    must(rename(temp, dest) == 0, "rename");
}

int main(int argc, char **argv) {
    must(argc == 2 || argc == 4, "usage: floor LOG | floor LOCK LOG DEST");
    if (argc == 2)
        tail(argv[1]);
    else
        set(argv[1], argv[2], argv[3]);
    return 0;
}
