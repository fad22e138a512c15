#define _GNU_SOURCE
#include "worker_shims.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int shim_socketpair(int sockets[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets);
}

int64_t shim_send(int socket, const void *first, size_t first_size, const void *second, size_t second_size,
                  const int *descriptors, int count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * SHIM_MOST_DESCRIPTORS)];
    } control;
    struct iovec parts[2] = {{(void *)first, first_size}, {(void *)second, second_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = second_size > 0 ? 2 : 1};
    if (count > SHIM_MOST_DESCRIPTORS) {
        errno = EMSGSIZE;
        return -1;
    }
    if (count > 0) {
        size_t size = sizeof(int) * (size_t)count;
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        memset(control.bytes, 0, CMSG_SPACE(size));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    for (;;) {
        ssize_t taken = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (taken >= 0 || errno != EINTR) {
            return taken;
        }
    }
}

int64_t shim_receive(int socket, void *bytes, size_t size, int *descriptors, int *count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * SHIM_MOST_DESCRIPTORS)];
    } control;
    struct iovec part = {bytes, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received < 0) {
        return -1;
    }
    int room = *count;
    int arrived = 0;
    int lost = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < here; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            if (arrived < room) {
                descriptors[arrived++] = descriptor;
            } else {
                close(descriptor);
                lost = 1;
            }
        }
    }
    *count = arrived;
    if (lost) {
        for (int index = 0; index < arrived; index++) {
            close(descriptors[index]);
        }
        *count = 0;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int shim_sealed_memory(const void *bytes, size_t size) {
    int descriptor = memfd_create("overlayhost-bytes", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) {
        return -1;
    }
    const char *next = bytes;
    size_t left = size;
    while (left > 0) {
        ssize_t written = write(descriptor, next, left);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            goto failed;
        }
        next += written;
        left -= (size_t)written;
    }
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0) {
        return descriptor;
    }
failed:;
    int problem = errno;
    close(descriptor);
    errno = problem;
    return -1;
}

const void *shim_map_sealed(int descriptor, size_t size) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    struct stat status;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_WRITE) == 0 || fstat(descriptor, &status) != 0 ||
        (uint64_t)status.st_size < size || size == 0) {
        errno = EINVAL;
        return NULL;
    }
    void *address = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    return address == MAP_FAILED ? NULL : address;
}

void shim_unmap(const void *address, size_t size) {
    munmap((void *)address, size);
}

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

enum { word_mapping = 4096 };

uint64_t *shim_shared_word(int *descriptor, int theirs) {
    int file = memfd_create("overlayhost-word", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        return NULL;
    }
    void *address = MAP_FAILED;
    if (ftruncate(file, word_mapping) == 0) {
        address = mmap(NULL, word_mapping, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    // Kernels before 5.1 do not support the seal against future writers, which could then only harm themselves.
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (address == MAP_FAILED ||
        ((theirs || fcntl(file, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE) != 0) && fcntl(file, F_ADD_SEALS, seals) != 0)) {
        int problem = errno;
        if (address != MAP_FAILED) {
            munmap(address, word_mapping);
        }
        close(file);
        errno = problem;
        return NULL;
    }
    *descriptor = file;
    return address;
}

uint64_t *shim_map_word(int descriptor, int writable) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    struct stat status;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor, &status) != 0 || status.st_size < word_mapping) {
        errno = EINVAL;
        return NULL;
    }
    int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *address = mmap(NULL, word_mapping, access, MAP_SHARED, descriptor, 0);
    return address == MAP_FAILED ? NULL : address;
}

void shim_unmap_word(const uint64_t *word) {
    munmap((void *)word, word_mapping);
}
