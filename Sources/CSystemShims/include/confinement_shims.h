// System calls behind the confinement of worker processes.
#pragma once

#include <stdint.h>


#if defined(__cplusplus)
extern "C" {
#endif

/// Parts of a confinement, as bits in the result of shim_confine.
#define SHIM_NO_NEW_PRIVILEGES 1u
#define SHIM_LIMITS 2u
#define SHIM_LANDLOCK 4u
#define SHIM_LANDLOCK_NETWORK 8u
#define SHIM_LANDLOCK_SCOPES 16u
#define SHIM_SECCOMP 32u
#define SHIM_CAPABILITIES 64u
#define SHIM_THREADS 128u

/// The options of shim_confine.
struct shim_confinement {
    /// Files and folders that may be read and executed, terminated by null. Those that cannot be opened are skipped.
    const char *const *readable;
    /// A folder that may be changed; empty if there is none.
    const char *writable;
    /// The limit of private memory in bytes.
    uint64_t memory;
    /// The limit of processor time in seconds; 0 for no limit.
    uint64_t processor_seconds;
    /// Parts that are omitted, as if the kernel did not support them.
    uint32_t withheld;
    /// The newest version of Landlock that is used, as if the kernel did not support a newer one.
    uint32_t newest_landlock;
    /// Connected to a shim_serve_grants, unless SHIM_THREADS is withheld. Always closed.
    int grants;
    /// Whether the process may execute another program, which has the same confinement.
    int starts_program;
};

/// Removes everything from the calling process that an overlay does not need, as far as the kernel supports: new
/// privileges, capabilities, files, sockets, programs, other processes, and memory and threads beyond a limit. The
/// process must have one thread. Returns the bits of the active parts; stores the active version of Landlock (0:
/// none) in `landlock`.
uint32_t shim_confine(const struct shim_confinement *wanted, uint32_t *landlock);

/// The parts that the running kernel supports, without activating them; same results as shim_confine.
uint32_t shim_confinement_offered(uint32_t *landlock);

/// Calls `each` with the path of every library that this program has loaded.
void shim_each_loaded_library(void (*each)(const char *path, void *context), void *context);

/// Grants requests of a worker: threads, until it has `threads` of them (further ones fail with EAGAIN), and changes
/// of attributes of files in its `folder` (empty if there is none), which this process makes. `socket` is connected
/// to the `grants` of the worker's shim_confinement, and is closed. Blocks until the worker has ended.
void shim_serve_grants(int socket, int process, const char *folder, uint32_t threads);

#if defined(__cplusplus)
}
#endif
