// System calls that Swift's Glibc module does not import because it is compiled without _GNU_SOURCE.
#pragma once

#include <poll.h>
#include <stdint.h>

#include "confinement_shims.h"
#include "worker_shims.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// eventfd(2), close-on-exec and non-blocking; -1 with errno on failure.
int shim_eventfd(void);

/// accept4(2) with SOCK_CLOEXEC; -1 with errno on failure.
int shim_accept_cloexec(int socket);

/// renameat2(2) with RENAME_NOREPLACE on two paths; -1 with errno (EEXIST if the target exists) on failure.
int shim_rename_noreplace(const char *from, const char *to);

/// renameat2(2) with RENAME_NOREPLACE on names in two open folders; -1 with errno (EEXIST if the target exists) on
/// failure.
int shim_rename_noreplace_at(int from_folder, const char *from, int to_folder, const char *to);

/// renameat2(2) with RENAME_EXCHANGE: exchanges two names in an open folder atomically; -1 with errno (EINVAL if the
/// file system does not support this) on failure.
int shim_exchange_at(int folder, const char *one, const char *other);

/// The number of terminal cells of a Unicode scalar by wcwidth(3) in the C.UTF-8 locale; -1 for a control character.
/// Any thread.
int shim_terminal_cells(uint32_t scalar);

/// ppoll(2) with the time in nanoseconds, negative for no limit. Returns the number of ready descriptors, 0, or -1
/// with errno.
int shim_ppoll(struct pollfd *descriptors, unsigned long count, int64_t nanoseconds);

/// Copies `size` bytes from the current position of one regular file to that of another, inside the kernel; -1 with
/// errno (EIO if the first ends early) on failure.
int shim_copy_file(int from, int to, uint64_t size);

/// syncfs(2): waits until everything written to the file system of an open file is on its disk; -1 with errno on
/// failure.
int shim_synchronize_file_system(int descriptor);

/// openat2(2) with RESOLVE_BENEATH: opens `path` below the open `folder`, but nothing outside it through `..` or a
/// symbolic link; -1 with errno (EXDEV if the path leads out or through an absolute link, ENOSYS on an old kernel) on
/// failure.
int shim_open_beneath(int folder, const char *path, uint64_t flags);

/// Opens the folder `name` in the open `folder` (AT_FDCWD for a path) for reading, close-on-exec. The last component
/// must not be a symbolic link. If the folder belongs to this user, and its owner cannot read, write or enter it, its
/// mode is first set to 0700. No other file is changed, even if another process replaces the folder at the same time.
/// -1 with errno (ENOTDIR if it is not a folder) on failure.
int shim_open_own_folder(int folder, const char *name);

#if defined(__cplusplus)
}
#endif
