// System calls behind worker processes: descriptors over sockets, shared memory and spawning.
#pragma once

#include <stddef.h>
#include <stdint.h>


#if defined(__cplusplus)
extern "C" {
#endif

/// Most descriptors that one message carries.
#define SHIM_MOST_DESCRIPTORS 64

/// socketpair(2) of connected stream sockets, close-on-exec; -1 with errno on failure.
int shim_socketpair(int sockets[2]);

/// sendmsg(2) of two runs of bytes together with descriptors, without SIGPIPE; bytes taken, or -1 with errno.
int64_t shim_send(int socket, const void *first, size_t first_size, const void *second, size_t second_size,
                              const int *descriptors, int count);

/// recvmsg(2); descriptors that arrive are close-on-exec and go into `descriptors`, which has room for `*count`; their number
/// into `count`. Bytes received, 0 at the end, or -1 with errno (EMSGSIZE when there were more descriptors than room).
int64_t shim_receive(int socket, void *bytes, size_t size, int *descriptors, int *count);

/// A memory file with these bytes that cannot be changed any more; -1 with errno on failure.
int shim_sealed_memory(const void *bytes, size_t size);

/// Maps `size` bytes of a memory file that can neither shrink nor be written; null with errno on failure.
const void *shim_map_sealed(int descriptor, size_t size);

/// Ends such a mapping.
void shim_unmap(const void *address, size_t size);

/// A word of memory that this process may change, and those that get `*descriptor` only if `theirs` is not 0; null with errno on
/// failure.
uint64_t *shim_shared_word(int *descriptor, int theirs);

/// Maps the word behind a descriptor, for reading unless `writable`; null with errno when it is none of shim_shared_word.
uint64_t *shim_map_word(int descriptor, int writable);

/// Ends either mapping.
void shim_unmap_word(const uint64_t *word);

/// Adds one to the word. A thread that sees the new value sees everything written before.
static inline void shim_word_add(uint64_t *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
}

/// The word.
static inline uint64_t shim_word(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Starts `path` in a process group of its own, with default signals, and with no descriptors but `descriptors`, which become
/// 0, 1, 2 and so on; -1 in `descriptors` is /dev/null. The process id, or -1 with errno.
int shim_spawn(const char *path, char *const arguments[], char *const environment[], const int *descriptors,
                           int count);

/// pidfd_open(2), close-on-exec; -1 with errno on failure.
int shim_pidfd(int pid);

/// Ends this process when the thread that started it ends, and right now when it has ended already.
void shim_die_with_parent(int parent);

/// The name of this process in lists of processes, of which the kernel keeps 15 bytes. For its first thread.
void shim_name_process(const char *name);

/// From now on the end of this process, however it ends, ends all of its group, if that is its own: starts a process that
/// watches it. For a process that can start others; to be called by its first thread, while there is no other.
void shim_take_group_along(void);

/// Ends this process, and all of its group where that is its own.
_Noreturn void shim_end_group(void);

/// From now on a crash of this process first stores how many of the `limit` bytes of memory that it may have it had taken by then,
/// and then takes its usual course. Signals that are handled already are left alone.
void shim_tell_memory(uint64_t *taken, uint64_t limit);

/// Stores the number of the signal into `word` when this process crashes, and lets it crash as it would have. Null: no more.
void shim_note_crash(uint32_t *word);

/// Whether a child process has ended: 1 if it has and has not been reaped yet, 0 before, -1 with errno if there is no such child.
int shim_has_ended(int pid);

/// waitpid(2) without waiting: 1 and the status once the process has ended, 0 before, -1 with errno on failure.
int shim_reap(int pid, int *status);

#if defined(__cplusplus)
}
#endif
