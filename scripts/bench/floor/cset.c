// cset LOCK LOG DEST: the least that a durable write with a browsable copy can do.
//
// Take the lock, append one line to the log with one write, make it durable, rename a small file into place, let go.
// It checks nothing, escapes nothing and heals nothing: what `mem set` takes longer than this is what its promises cost.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { SIZE = 300 };

static void must(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

static void append(const char *path, const char *line) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    must(fd >= 0, "open the log");
    must(write(fd, line, SIZE) == SIZE, "append");
    must(fdatasync(fd) == 0, "fdatasync");
    close(fd);
}

static void replace(const char *path, const char *content) {
    char temp[4096];
    must(snprintf(temp, sizeof temp, "%s.tmp", path) < (int)sizeof temp, "name the temporary file");
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0, "open the temporary file");
    must(write(fd, content, SIZE) == SIZE, "write the temporary file");
    close(fd);
    must(rename(temp, path) == 0, "rename");
}

int main(int argc, char **argv) {
    must(argc == 4, "usage: cset LOCK LOG DEST");
    char line[SIZE];
    memset(line, 'x', SIZE);
    line[SIZE - 1] = '\n';

    int lock = open(argv[1], O_RDWR | O_CREAT, 0644);
    must(lock >= 0, "open the lock");
    must(flock(lock, LOCK_EX) == 0, "flock");
    append(argv[2], line);
    replace(argv[3], line);
    flock(lock, LOCK_UN);
    return 0;
}
