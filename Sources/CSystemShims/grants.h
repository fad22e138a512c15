// What the host grants a worker, which asks for it by way of a filter of system calls.
#pragma once

#include <linux/seccomp.h>
#include <stdint.h>

struct grants {
    /// The worker.
    int process;
    /// Its folder; empty for none.
    const char *folder;
    /// Threads that it may have.
    uint32_t threads;
};

/// Changes attributes of a file in the worker's folder, as the call asks for; 0, or the negative number of an error.
int grant_attributes(const struct grants *grants, const struct seccomp_data *call);
