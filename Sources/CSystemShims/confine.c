// Confinement of worker processes. Each part is optional at run time.
#include "confinement_parts.h"
#include "confinement_shims.h"
#include "worker_shims.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

// Restricts system calls. Some of them must be granted by the process at the other end of the socket.
static uint32_t restrict_calls(const struct shim_confinement *wanted, uint32_t landlock) {
    int listener = -1;
    if ((wanted->withheld & SHIM_THREADS) == 0 && confine_calls(landlock, wanted->starts_program, &listener) == 0) {
        // If the listener cannot be sent, the process cannot create further threads, and reports this when it tries
        // to.
        shim_send(wanted->grants, "", 1, NULL, 0, &listener, 1);
        close(listener);
        return SHIM_SECCOMP | SHIM_THREADS;
    }
    return confine_calls(landlock, wanted->starts_program, NULL) == 0 ? SHIM_SECCOMP : 0;
}

uint32_t shim_confine(const struct shim_confinement *wanted, uint32_t *landlock) {
    uint32_t version = (wanted->withheld & SHIM_LANDLOCK) != 0 ? 0 : confine_landlock_version();
    if (version > wanted->newest_landlock) {
        version = wanted->newest_landlock;
    }
    uint32_t done = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        done |= SHIM_NO_NEW_PRIVILEGES;
    }
    if (confine_limits(wanted->memory, wanted->processor_seconds) == 0) {
        done |= SHIM_LIMITS;
    }
    if ((wanted->withheld & SHIM_CAPABILITIES) == 0 && confine_capabilities() == 0) {
        done |= SHIM_CAPABILITIES;
    }
    uint32_t files = confine_files(wanted->readable, wanted->writable, version);
    *landlock = files == 0 ? 0 : version;
    done |= files;
    if ((wanted->withheld & SHIM_SECCOMP) == 0) {
        done |= restrict_calls(wanted, *landlock);
    }
    close(wanted->grants);
    return done;
}

uint32_t shim_confinement_offered(uint32_t *landlock) {
    uint32_t version = confine_landlock_version();
    *landlock = version;
    return SHIM_NO_NEW_PRIVILEGES | SHIM_LIMITS | SHIM_CAPABILITIES | (version >= 1 ? SHIM_LANDLOCK : 0) |
           (version >= 4 ? SHIM_LANDLOCK_NETWORK : 0) | (version >= 6 ? SHIM_LANDLOCK_SCOPES : 0) |
           (confine_calls_offered() ? SHIM_SECCOMP : 0) | (confine_threads_offered() ? SHIM_THREADS : 0);
}
