// System calls behind worker processes: descriptors over sockets, shared memory and spawning.
#pragma once

#include <stddef.h>
#include <stdint.h>


#if defined(__cplusplus)
extern "C" {
#endif

/// The largest number of descriptors in one message.
#define SHIM_MOST_DESCRIPTORS 64

/// socketpair(2) of connected stream sockets, close-on-exec; -1 with errno on failure.
int shim_socketpair(int sockets[2]);

/// sendmsg(2) of two byte ranges together with descriptors, without SIGPIPE. Returns the number of bytes sent, or -1
/// with errno.
int64_t shim_send(int socket, const void *first, size_t first_size, const void *second, size_t second_size,
                              const int *descriptors, int count);

/// recvmsg(2). Received descriptors are close-on-exec and stored in `descriptors`, which has space for `*count`;
/// `*count` becomes their number. Returns the number of bytes received, 0 at the end, or -1 with errno (EMSGSIZE if
/// there was not enough space for the descriptors).
int64_t shim_receive(int socket, void *bytes, size_t size, int *descriptors, int *count);

/// Creates a memory file with these bytes, which cannot be changed afterwards; -1 with errno on failure.
int shim_sealed_memory(const void *bytes, size_t size);

/// Maps `size` bytes of a memory file that can neither shrink nor be written; null with errno on failure.
const void *shim_map_sealed(int descriptor, size_t size);

/// Removes this mapping.
void shim_unmap(const void *address, size_t size);

/// Creates a word of memory that this process may change. Processes that receive `*descriptor` may change it only if
/// `theirs` is not 0. Null with errno on failure.
uint64_t *shim_shared_word(int *descriptor, int theirs);

/// Maps the word of a descriptor, for reading unless `writable`; null with errno if the descriptor is not from
/// shim_shared_word.
uint64_t *shim_map_word(int descriptor, int writable);

/// Removes either mapping.
void shim_unmap_word(const uint64_t *word);

/// Adds 1 to the word. A thread that sees the new value sees everything written before.
static inline void shim_word_add(uint64_t *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
}

/// The value of the word.
static inline uint64_t shim_word(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Starts `path` in a new process group, with default signals, and only with `descriptors`, which become 0, 1, 2 and
/// so on; -1 in `descriptors` is /dev/null. Returns the process id, or -1 with errno.
int shim_spawn(const char *path, char *const arguments[], char *const environment[], const int *descriptors,
                           int count);

/// fork(2) into a new process group with default signals. For a process with one thread. Returns the process id and
/// one end of a socket for messages, which is close-on-exec; 0 in the new process, whose only descriptor is the other
/// end; or -1 with errno.
///
/// The new process ends with the thread that called this. It overwrites `arguments` and the environment, which may
/// contain secrets; copies of them that the process has made stay in its memory.
int shim_fork_standby(char *const arguments[], int *socket);

/// Renumbers `descriptors` to 0, 1, 2 and so on, and closes all others; -1 in `descriptors` is /dev/null. Returns 0,
/// or -1 with errno. For a process with one thread.
int shim_place_descriptors(const int *descriptors, int count);

/// pidfd_open(2), close-on-exec; -1 with errno on failure.
int shim_pidfd(int pid);

/// Ends this process when the thread that started it ends, or immediately if that has already ended.
void shim_die_with_parent(int parent);

/// Sets the name of this process in lists of processes, of which the kernel keeps 15 bytes. For its first thread.
void shim_name_process(const char *name);

/// From now on, the end of this process for any reason also ends its group, if it leads the group. This starts a
/// process that watches it. For a process that can start others. Call this on the first thread before others exist.
void shim_take_group_along(void);

/// Ends this process, and its group if it leads the group.
_Noreturn void shim_end_group(void);

/// From now on, a crash of this process first stores the number of bytes of its memory in `taken`, and then continues
/// as usual. `limit` is the limit of its memory in bytes. Signals with existing handlers are not changed.
void shim_tell_memory(uint64_t *taken, uint64_t limit);

/// Stores the number of the signal in `word` when this process crashes, and then lets it crash as usual. Null
/// disables this.
void shim_note_crash(uint32_t *word);

/// Whether a child process has ended: 1 if it has ended and has not been reaped yet, 0 before, -1 with errno if it
/// does not exist.
int shim_has_ended(int pid);

/// waitpid(2) without waiting: 1 and the status after the process has ended, 0 before, -1 with errno on failure.
int shim_reap(int pid, int *status);

#if defined(__cplusplus)
}
#endif
