// Grants for system calls of a worker, which its filter passes to the host.
#pragma once

#include <linux/seccomp.h>
#include <stdint.h>

struct grants {
    /// The process id of the worker.
    int process;
    /// The folder of the worker; empty if there is none.
    const char *folder;
    /// The largest number of threads.
    uint32_t threads;
};

/// Changes attributes of a file in the worker's folder as the call requests. Returns 0, or the negative number of an
/// error.
int grant_attributes(const struct grants *grants, const struct seccomp_data *call);
