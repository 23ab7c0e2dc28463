/* Makes parts of the disk fail, as a library that is loaded before libc. FAILING_DISK names a
 * directory; while it contains a file of this name,
 *
 * flushes      a click journal is written, but its flush fails,
 * openings     a click journal cannot be opened,
 * directories  no directory can be flushed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(const char *part) {
    char path[4096];
    const char *control = getenv("FAILING_DISK");
    if (control == NULL) return 0;
    snprintf(path, sizeof path, "%s/%s", control, part);
    return access(path, F_OK) == 0;
}

static int is_journal(const char *path) {
    const char *name = strstr(path, "/terse-clicks-");
    return name != NULL && strstr(name, ".db") != NULL;
}

static int flush(long call, int fd) {
    char link[64], path[4096];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    int is_directory = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_directory ? fails("directories") : is_journal(path) && fails("flushes")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(call, fd);
}

int fsync(int fd) { return flush(SYS_fsync, fd); }

int fdatasync(int fd) { return flush(SYS_fdatasync, fd); }

static int open_file(const char *path, int flags, mode_t mode) {
    if (is_journal(path) && fails("openings")) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open_file(path, flags | O_LARGEFILE, mode);
}
