// Records information when a process crashes: in a worker, the size of its memory; in a host with a recording, the
// signal.
//
// The kernel's value ru_maxrss includes the memory of the program that started the process, so it is useless for a
// small process that was started by a large one.
#define _GNU_SOURCE
#include "worker_shims.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *told;
static uint64_t most;
static uint64_t free_at_first;
static pid_t teller;

// The largest block of memory that the limit still allows, with a precision of 1 MiB. Safe in a signal handler.
static uint64_t free_memory(void) {
    uint64_t fits = 0;
    uint64_t refused = most;
    while (refused - fits > 1 << 20) {
        uint64_t size = fits + (refused - fits) / 2;
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            refused = size;
        } else {
            munmap(memory, size);
            fits = size;
        }
    }
    return fits;
}

static void tell(int signal) {
    // Processes that this process has started share the word, but their end is irrelevant.
    if (getpid() == teller) {
        uint64_t left = free_memory();
        __atomic_store_n(told, left < free_at_first ? free_at_first - left : 0, __ATOMIC_RELEASE);
    }
    // The default action has been restored.
    raise(signal);
}

void shim_tell_memory(uint64_t *taken, uint64_t limit) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    // The handler needs another stack in case of a stack overflow.
    static char stack[1 << 16];
    told = taken;
    most = limit;
    free_at_first = free_memory();
    teller = getpid();
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
        struct sigaction action;
        if (sigaction(crashes[index], NULL, &action) != 0 || action.sa_handler != SIG_DFL) {
            continue;
        }
        action.sa_handler = tell;
        action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(crashes[index], &action, NULL);
    }
}

// ---- the signal ------------------------------------------------------------------------------------------------------

static uint32_t *noted;
static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
#define FATAL (sizeof fatal / sizeof fatal[0])
static struct sigaction before[FATAL];

static void note(int signal, siginfo_t *info, void *context) {
    (void)context;
    uint32_t *word = __atomic_exchange_n(&noted, NULL, __ATOMIC_ACQ_REL);
    if (word != NULL) {
        __atomic_store_n(word, (uint32_t)signal, __ATOMIC_RELEASE);
    }
    for (size_t index = 0; index < FATAL; index++) {
        if (fatal[index] == signal) {
            sigaction(signal, &before[index], NULL);
        }
    }
    // A fault occurs again after the return, with all information for a debugger or a backtrace. A signal that was
    // sent must be sent again.
    int is_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
    if (!is_fault || info->si_code <= 0) {
        raise(signal);
    }
}

void shim_note_crash(uint32_t *word) {
    static int is_installed;
    __atomic_store_n(&noted, word, __ATOMIC_RELEASE);
    if (word == NULL || __atomic_exchange_n(&is_installed, 1, __ATOMIC_ACQ_REL)) {
        return;
    }
    for (size_t index = 0; index < FATAL; index++) {
        struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        sigemptyset(&action.sa_mask);
        sigaction(fatal[index], &action, &before[index]);
    }
}
