// spawn PLAN: run the commands of a plan one after another and print, for each, how long it took, its peak memory and processor time.
//
// A line of the plan is STDIN <tab> STDOUT <tab> ARGV[0] <tab> ARGV[1] ...; a line of the answer is
// NANOSECONDS <space> KIB <space> MICROSECONDS of processor time.
// The time is from before the spawn to after the wait, so it is the whole process as a shell or an agent meets it.
//
// Why C and why static: a child's ru_maxrss starts at the size of the process that spawned it, so the parent has to be small for
// the figure to mean anything; and no garbage collector, scheduler or poller of the parent can wake up inside a measurement.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_FIELDS = 64 };

extern char **environ;

static void die(const char *what, const char *which, int err) {
    fprintf(stderr, "spawn: %s %s: %s\n", what, which, strerror(err));
    exit(2);
}

static long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void redirect(posix_spawn_file_actions_t *to, const char *in, const char *out) {
    posix_spawn_file_actions_init(to);
    posix_spawn_file_actions_addopen(to, 0, in, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(to, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

static void run(const char *in, const char *out, char **argv) {
    posix_spawn_file_actions_t files;
    redirect(&files, in, out);

    struct rusage use;
    int status;
    pid_t pid;
    long long start = now_ns();
    int err = posix_spawn(&pid, argv[0], &files, NULL, argv, environ);
    if (err) die("start", argv[0], err);
    if (wait4(pid, &status, 0, &use) < 0) die("wait for", argv[0], errno);
    long long took = now_ns() - start;

    posix_spawn_file_actions_destroy(&files);
    if (status != 0) {
        fprintf(stderr, "spawn: %s %s: status %d, signal %d\n", argv[0], argv[1] ? argv[1] : "",
                WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        exit(1);
    }
    long long cpu_us = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000LL +
                       use.ru_utime.tv_usec + use.ru_stime.tv_usec;
    printf("%lld %ld %lld\n", took, use.ru_maxrss, cpu_us);
}

// split cuts line at its tabs, in place, and ends the list with NULL.
static int split(char *line, char **field) {
    int n = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *part; (part = strsep(&line, "\t"));) {
        if (n == MAX_FIELDS - 1) die("too many arguments after", field[2], E2BIG);
        field[n++] = part;
    }
    field[n] = NULL;
    return n;
}

int main(int argc, char **argv) {
    if (argc != 2) die("usage:", "spawn PLAN", EINVAL);
    FILE *plan = fopen(argv[1], "r");
    if (!plan) die("open", argv[1], errno);

    char *line = NULL, *field[MAX_FIELDS];
    size_t cap = 0;
    while (getline(&line, &cap, plan) > 0) {
        if (split(line, field) < 3) die("a short line in", argv[1], EINVAL);
        run(field[0], field[1], field + 2);
    }
    return 0;
}
