// Sets limits and drops capabilities.
#define _GNU_SOURCE
#include "confinement_parts.h"

#include <linux/capability.h>
#include <malloc.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int limit(int what, uint64_t most) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) != 0) {
        return -1;
    }
    rlim_t wanted = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? (rlim_t)most : now.rlim_max;
    struct rlimit next = {wanted, wanted};
    return setrlimit((__rlimit_resource_t)what, &next);
}

// AddressSanitizer and ThreadSanitizer reserve terabytes of addresses.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RESERVES_ADDRESSES 1
#endif
#endif

// The bytes of addresses in addition to private memory: code, 0.25 GiB with the libraries of Swift, the allocator's
// reservations for threads, and shared messages.
static const uint64_t other_addresses = 1ull << 30;
// The number of heaps for threads, each of which reserves 64 MiB of addresses, and temporarily twice as much.
enum { heaps = 4 };

// Also limits addresses, because RLIMIT_DATA only counts memory that is currently writable.
static int limit_addresses(uint64_t memory) {
#if defined(RESERVES_ADDRESSES)
    (void)memory;
    return 0;
#else
    uint64_t most = memory < UINT64_MAX - other_addresses ? memory + other_addresses : UINT64_MAX;
    return mallopt(M_ARENA_MAX, heaps) == 1 ? limit(RLIMIT_AS, most) : -1;
#endif
}

int confine_limits(uint64_t memory, uint64_t processor_seconds) {
    int failed = 0;
    if (processor_seconds > 0) {
        failed |= limit(RLIMIT_CPU, processor_seconds);
    }
    failed |= limit(RLIMIT_CORE, 0);
    failed |= limit(RLIMIT_NOFILE, 256);
    failed |= limit(RLIMIT_FSIZE, 4ull << 30);
    failed |= limit(RLIMIT_MEMLOCK, 0);
    failed |= limit(RLIMIT_MSGQUEUE, 0);
    failed |= limit(RLIMIT_STACK, 8ull << 20);
    failed |= limit(RLIMIT_DATA, memory);
    failed |= limit_addresses(memory);
    return failed;
}

int confine_capabilities(void) {
    // Only a process with the capability to reduce the bounding set can do so. For others, this is not necessary.
    for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2], left[2];
    memset(none, 0, sizeof none);
    syscall(SYS_capset, &header, none);
    if (syscall(SYS_capget, &header, left) != 0) {
        return -1;
    }
    // Ambient capabilities are part of the permitted ones.
    return memcmp(none, left, sizeof none) == 0 ? 0 : -1;
}
