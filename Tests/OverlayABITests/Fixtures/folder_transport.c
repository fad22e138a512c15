/* A transport service that reads from a folder of the host: as much of one as listing a library takes. */
#include "overlay_abi.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VIEW(text) {text, sizeof text - 1}

static ovl_status failed(const ovl_error_sink *sink, const ovl_text *path) {
    ovl_status status = errno == ENOENT || errno == ENOTDIR ? OVL_NOT_FOUND : OVL_HOST_IO;
    ovl_error error = {.struct_size = sizeof error, .status = status, .domain = OVL_DOMAIN_POSIX, .native_code = errno,
                       .message = VIEW("The file cannot be read.")};
    if (path) error.subject = *path;
    if (sink && sink->put) sink->put(sink->ctx, &error);
    return status;
}

static int in_folder(char *place, const void *folder, uint32_t root, const ovl_text *path) {
    int length = snprintf(place, PATH_MAX, "%s%.*s", (const char *)folder, (int)path->size, path->data);
    if (root == OVL_ROOT_CONTAINER && length > 0 && length < PATH_MAX) return 1;
    errno = ENOENT;
    return 0;
}

static ovl_status device(void *folder, const ovl_device_sink *sink, const ovl_error_sink *error) {
    (void)folder, (void)error;
    ovl_device record = {.struct_size = sizeof record, .udid = VIEW("c-host"), .name = VIEW("A folder"),
                         .model = VIEW("iPad2,5"), .ios_version = VIEW("8.1.3"), .app_name = VIEW("Marvin"),
                         .app_version = VIEW("2.7.1")};
    return sink->put(sink->ctx, &record);
}

static ovl_status roots(void *folder, const ovl_root_sink *sink, const ovl_error_sink *error) {
    (void)folder, (void)error;
    ovl_root record = {.struct_size = sizeof record, .root = OVL_ROOT_CONTAINER, .granted = 1};
    return sink->put(sink->ctx, &record);
}

static ovl_file_info info_of(const struct stat *facts, const char *name) {
    ovl_file_info info = {.struct_size = sizeof info, .name = {name, strlen(name)},
                          .kind = S_ISDIR(facts->st_mode) ? OVL_FILE_FOLDER : OVL_FILE_REGULAR,
                          .size = (uint64_t)facts->st_size,
                          .modified = facts->st_mtim.tv_sec * 1000000000ll + facts->st_mtim.tv_nsec};
    return info;
}

static ovl_status list(void *folder, uint32_t root, const ovl_text *path, uint32_t options, const ovl_file_sink *sink,
                       const ovl_error_sink *error) {
    (void)options;
    char place[PATH_MAX];
    DIR *entries = in_folder(place, folder, root, path) ? opendir(place) : NULL;
    if (!entries) return failed(error, path);
    ovl_status status = OVL_OK;
    uint64_t index = 0;
    for (struct dirent *entry; status == OVL_OK && (entry = readdir(entries));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        ovl_file_info info = {.struct_size = sizeof info, .name = {entry->d_name, strlen(entry->d_name)}};
        status = sink->put(sink->ctx, index++, OVL_OK, &info, NULL);
    }
    closedir(entries);
    return status;
}

static ovl_status stat_many(void *folder, uint32_t root, const ovl_texts *paths, const ovl_file_sink *sink,
                            const ovl_error_sink *error) {
    (void)error;
    ovl_status status = OVL_OK;
    for (uint64_t i = 0; i < paths->count && status == OVL_OK; i++) {
        char place[PATH_MAX];
        struct stat facts;
        if (in_folder(place, folder, root, &paths->items[i]) && stat(place, &facts) == 0) {
            ovl_file_info info = info_of(&facts, strrchr(place, '/') + 1);
            status = sink->put(sink->ctx, i, OVL_OK, &info, NULL);
        } else {
            status = sink->put(sink->ctx, i, OVL_NOT_FOUND, NULL, NULL);
        }
    }
    return status;
}

/* Up to `length` bytes, allocated; null with errno if they cannot be read. */
static uint8_t *content(void *folder, uint32_t root, const ovl_text *path, uint64_t offset, uint64_t length,
                        ovl_bytes *bytes) {
    char place[PATH_MAX];
    struct stat facts;
    int file = in_folder(place, folder, root, path) ? open(place, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0 || fstat(file, &facts) != 0) return NULL;
    uint64_t size = (uint64_t)facts.st_size, wanted = offset < size ? size - offset : 0;
    if (wanted > length) wanted = length;
    uint8_t *memory = malloc(wanted + 1);
    ssize_t count = memory ? pread(file, memory, wanted, (off_t)offset) : -1;
    close(file);
    *bytes = (ovl_bytes){memory, count > 0 ? (uint64_t)count : 0};
    return memory;
}

static ovl_status read_one(void *folder, uint32_t root, const ovl_text *path, uint64_t offset, uint64_t length,
                           const ovl_bytes_sink *sink, const ovl_error_sink *error) {
    ovl_bytes bytes;
    uint8_t *memory = content(folder, root, path, offset, length, &bytes);
    if (!memory) return failed(error, path);
    ovl_status status = sink->put(sink->ctx, &bytes, 0, bytes.size);
    free(memory);
    return status;
}

static ovl_status read_many(void *folder, uint32_t root, const ovl_list *requests, const ovl_read_sink *sink,
                            const ovl_error_sink *error) {
    (void)error;
    ovl_status status = OVL_OK;
    for (uint64_t i = 0; i < requests->count && status == OVL_OK; i++) {
        ovl_read_request request;
        memcpy(&request, (const char *)requests->items + i * requests->stride, sizeof request);
        ovl_bytes bytes;
        uint8_t *memory = content(folder, root, &request.path, request.offset, request.length, &bytes);
        status = memory ? sink->put(sink->ctx, i, OVL_OK, &bytes, NULL)
                        : sink->put(sink->ctx, i, OVL_NOT_FOUND, NULL, NULL);
        free(memory);
    }
    return status;
}

const void *folder_transport(const char *folder, const ovl_text *id, uint32_t min_size);

const void *folder_transport(const char *folder, const ovl_text *id, uint32_t min_size) {
    static ovl_transport_service service = {.struct_size = sizeof service, .device = device, .roots = roots,
                                            .list = list, .stat = stat_many, .read = read_one, .read_many = read_many};
    static char container[PATH_MAX];
    snprintf(container, sizeof container, "%s", folder);
    service.ctx = container;
    int ours = id->size == strlen(OVL_SERVICE_TRANSPORT) && !memcmp(id->data, OVL_SERVICE_TRANSPORT, id->size);
    return ours && min_size <= sizeof service ? &service : NULL;
}
