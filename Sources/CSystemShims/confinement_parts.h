// The parts that shim_confine puts together. Each returns what it has put into force, or 0 and -1 as said.
#pragma once

#include <stdint.h>

/// The version of Landlock that the kernel has; 0 without.
uint32_t confine_landlock_version(void);

/// Leaves the process nothing but `readable` places and a `writable` folder. Returns SHIM_LANDLOCK… bits.
uint32_t confine_files(const char *const *readable, const char *writable, uint32_t version);

/// Limits of memory, addresses, stack, files, descriptors and, unless 0, processor time; -1 when one of them is not in force.
int confine_limits(uint64_t memory, uint64_t processor_seconds);

/// Gives up all capabilities; -1 when one is left.
int confine_capabilities(void);

/// Restricts system calls, also those that Landlock of this version does not cover; -1 on failure. With a `listener`, which is
/// stored there, some have to be granted by the process that holds it; without, threads are allowed and the others refused.
/// `starts_program` allows the process to replace itself by another program.
int confine_calls(uint32_t landlock, int starts_program, int *listener);

/// Whether the kernel can restrict system calls.
int confine_calls_offered(void);

/// Whether the kernel can ask another process for each thread.
int confine_threads_offered(void);
