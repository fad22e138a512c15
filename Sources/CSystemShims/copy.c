#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <unistd.h>

int shim_copy_file(int from, int to, uint64_t size) {
    uint64_t left = size;
    int by_range = 1;
    while (left > 0) {
        size_t step = left > (1u << 30) ? (1u << 30) : (size_t)left;
        ssize_t count = by_range ? copy_file_range(from, NULL, to, NULL, step, 0) : sendfile(to, from, NULL, step);
        if (count > 0) {
            left -= (uint64_t)count;
        } else if (count == 0) {
            // The file ended before `size` bytes. Some file systems also return this if they do not support ranges.
            if (!by_range) {
                errno = EIO;
                return -1;
            }
            by_range = 0;
        } else if (errno == EINTR) {
            continue;
        } else if (by_range && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
            by_range = 0;
        } else {
            return -1;
        }
    }
    return 0;
}

int shim_synchronize_file_system(int descriptor) {
    int result;
    do {
        result = syncfs(descriptor);
    } while (result != 0 && errno == EINTR);
    return result;
}
