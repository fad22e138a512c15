// System calls behind the confinement of worker processes.
#pragma once

#include <stdint.h>


#if defined(__cplusplus)
extern "C" {
#endif

/// Parts of a confinement, as bits of what shim_confine has put into force.
#define SHIM_NO_NEW_PRIVILEGES 1u
#define SHIM_LIMITS 2u
#define SHIM_LANDLOCK 4u
#define SHIM_LANDLOCK_NETWORK 8u
#define SHIM_LANDLOCK_SCOPES 16u
#define SHIM_SECCOMP 32u
#define SHIM_CAPABILITIES 64u
#define SHIM_THREADS 128u

/// What shim_confine takes away and leaves.
struct shim_confinement {
    /// Files and folders that may be read and executed; null-terminated. Those that cannot be opened are skipped.
    const char *const *readable;
    /// A folder that may be changed; empty for none.
    const char *writable;
    /// Bytes of memory of its own.
    uint64_t memory;
    /// Seconds of processor time; 0 for any.
    uint64_t processor_seconds;
    /// Parts that are left out, as on a kernel that lacks them.
    uint32_t withheld;
    /// The newest version of Landlock that is used, as on a kernel that knows no newer one.
    uint32_t newest_landlock;
    /// Connected to a shim_serve_grants, unless SHIM_THREADS is withheld. Closed in any case.
    int grants;
    /// Whether the process may replace itself by another program, which is confined as it is.
    int starts_program;
};

/// Takes everything from the calling process that an overlay does not need, as far as the kernel can: new privileges,
/// capabilities, files, sockets, programs, other processes, memory and threads beyond a limit. The process must have one thread.
/// Returns the bits of the parts in force; stores the version of Landlock in use (0: none) in `landlock`.
uint32_t shim_confine(const struct shim_confinement *wanted, uint32_t *landlock);

/// What the running kernel could put into force, without doing it; same results as shim_confine.
uint32_t shim_confinement_offered(uint32_t *landlock);

/// Grants a worker what it has to ask for: threads, until it has `threads` of them (further ones fail with EAGAIN), and the
/// attributes of files in its `folder` (empty for none), which are changed for it. `socket` is connected to the `grants` of its
/// shim_confinement, and is closed. Blocks until the worker has ended.
void shim_serve_grants(int socket, int process, const char *folder, uint32_t threads);

#if defined(__cplusplus)
}
#endif
