// The parts of shim_confine. Each returns the active parts, or 0 and -1 as documented.
#pragma once

#include <stdint.h>

/// The version of Landlock in the kernel; 0 if there is none.
uint32_t confine_landlock_version(void);

/// Restricts the process to `readable` places and a `writable` folder. Returns SHIM_LANDLOCK… bits.
uint32_t confine_files(const char *const *readable, const char *writable, uint32_t version);

/// Limits memory, addresses, stack, files, descriptors and, unless 0, processor time. Returns -1 if a limit cannot be
/// set.
int confine_limits(uint64_t memory, uint64_t processor_seconds);

/// Drops all capabilities. Returns -1 if one remains.
int confine_capabilities(void);

/// Restricts system calls, including those that this version of Landlock does not cover; -1 on failure. If `listener`
/// is not null, the listener is stored there, and some calls must be granted by the process that holds it. Otherwise
/// threads are allowed, and the other calls are refused. `starts_program` allows the process to execute another
/// program.
int confine_calls(uint32_t landlock, int starts_program, int *listener);

/// Whether the kernel can restrict system calls.
int confine_calls_offered(void);

/// Whether the kernel can ask another process about each new thread.
int confine_threads_offered(void);
