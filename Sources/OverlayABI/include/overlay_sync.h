/* OverlayHost ABI, version 1: syncing with a person's folder. Since minor version 6.
 *
 * An overlay that implements `sync_source` syncs a folder on the host and the reader app both ways. While that method runs,
 * the source service gives it access to the folder. The host opens every file, so the overlay needs no access to files, and
 * content is copied between folder and device without passing through the overlay.
 *
 * Threads, states and errors: see overlay_services.h.
 */
#ifndef OVERLAYHOST_OVERLAY_SYNC_H
#define OVERLAYHOST_OVERLAY_SYNC_H

#include "overlay_services.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#define OVL_SERVICE_SOURCE "org.overlayhost.source/1"

/* ---- what is asked for and answered --------------------------------------------------------------------------- */

/** In `ovl_sync_options.flags`: only plan. The host refuses everything that changes the folder, the device or the state. */
#define OVL_SYNC_DRY_RUN 1u
/** In `ovl_sync_options.flags`: what was deleted on one side is deleted on the other. Without it nothing is deleted. */
#define OVL_SYNC_DELETES 2u
/** In `ovl_sync_options.flags`: the person has agreed to what the overlay would otherwise refuse, such as many deletions. */
#define OVL_SYNC_FORCED 4u
/** In `ovl_sync_options.flags`: what is only on the device also gets a row of the plan. */
#define OVL_SYNC_LISTS_OTHERS 8u

/** How the person wants to sync. */
typedef struct ovl_sync_options {
    uint32_t struct_size;
    /** OVL_SYNC_DRY_RUN, OVL_SYNC_DELETES, OVL_SYNC_FORCED, OVL_SYNC_LISTS_OTHERS. */
    uint32_t flags;
    /** Names of what the person wants now, as the overlay's help explains them. These are synced first, even if no rule selects
     *  them. */
    ovl_texts wanted;
} ovl_sync_options;

/** Adds something that the other side lacks. */
#define OVL_SYNC_ADD 1u
/** Changes something, keeping the rest of it. */
#define OVL_SYNC_UPDATE 2u
/** Replaces a file with another. */
#define OVL_SYNC_REPLACE 3u
/** Removes something. */
#define OVL_SYNC_REMOVE 4u
/** Leaves something as it is. */
#define OVL_SYNC_KEEP 5u
/** Both sides changed something that a person should look at; `reason` says what is done. */
#define OVL_SYNC_CONFLICT 6u
/** Only the device has it, and nothing is done. */
#define OVL_SYNC_ONLY_ON_DEVICE 7u

/** In `ovl_sync_row.flags`: the device is changed. */
#define OVL_SYNC_ROW_CHANGES_DEVICE 1u
/** In `ovl_sync_row.flags`: the folder is changed. */
#define OVL_SYNC_ROW_CHANGES_SOURCE 2u

/** One row of the plan. */
typedef struct ovl_sync_row {
    uint32_t struct_size;
    /** OVL_SYNC_ROW_CHANGES_DEVICE, OVL_SYNC_ROW_CHANGES_SOURCE; 0 if neither is changed. */
    uint32_t flags;
    /** OVL_SYNC_ADD to OVL_SYNC_ONLY_ON_DEVICE. */
    uint32_t action;
    uint32_t reserved;
    /** What it is about, such as a path in the folder or the key of an entry. Absent if only the device has it. */
    ovl_text item;
    /** Path on the device. Absent if it is not there. One of `item` and `path` is present. */
    ovl_text path;
    /** Why, one sentence. Absent if the action says enough. */
    ovl_text reason;
    /** For a dry run: the values of both sides, in lines. May be absent. */
    ovl_text details;
    /** Bytes that are copied. */
    uint64_t bytes;
} ovl_sync_row;

/** Receives rows of the plan, in order. */
typedef struct ovl_sync_row_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_sync_row *OVL_NONNULL row);
} ovl_sync_row_sink;

/* ---- the folder ----------------------------------------------------------------------------------------------- */

/** Most bytes of a file that `write` takes: 256 MiB. Larger ones are copied with `fetch`. */
#define OVL_SOURCE_WRITE_LIMIT 268435456ull
/** Most entries that `list` gives: more is OVL_INVALID_ARGUMENT. */
#define OVL_SOURCE_ENTRIES_LIMIT 100000u

/** What the host knows about a file or folder in the granted folder. */
typedef struct ovl_source_file {
    uint32_t struct_size;
    uint32_t flags;
    /** Name without folders. */
    ovl_text name;
    /** OVL_FILE_… */
    uint32_t kind;
    uint32_t reserved;
    /** Bytes. */
    uint64_t size;
    /** Nanoseconds since 1970-01-01 00:00 UTC. */
    int64_t modified;
    /** Changes whenever the file does: at most 96 bytes, to be compared only. Absent unless it is a regular file. */
    ovl_text stamp;
    /** `digest`, `write`, `send` and `fetch`: SHA-256 of the content in 64 hexadecimal digits. */
    ovl_text digest;
    /** `send` and `fetch`: when the content of the file on the device last changed, as `stat` of the transport service says; 0
     *  if not known. */
    int64_t device_modified;
} ovl_source_file;

/** Receives files. `index`: of the input, or position in a listing. Unless `status` is OVL_OK, `file` is null and `error` says
 *  why; with OVL_OK `error` is null. */
typedef struct ovl_source_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, ovl_status status,
                                   const ovl_source_file *OVL_NULLABLE file, const ovl_error *OVL_NULLABLE error);
} ovl_source_sink;

/** In `ovl_source_item.flags`, for `send`: an interrupted copy stays in the folder of `device_path`, under a hidden name that
 *  begins with `.overlayhost-` and ends with `.begun`, and the next `send` of the same content to that folder continues it. Use
 *  it only in folders that the app does not read; the overlay removes copies there that it no longer needs. */
#define OVL_SOURCE_CONTINUES 1u

/** One file to copy between the folder and the device. */
typedef struct ovl_source_item {
    uint32_t struct_size;
    /** OVL_SOURCE_CONTINUES or 0. */
    uint32_t flags;
    /** Path in the folder. */
    ovl_text path;
    /** Path on the device. */
    ovl_text device_path;
    /** The stamp that the file in the folder must have. `send`: absent for any. `fetch`: absent if no file may be there. */
    ovl_text expected;
} ovl_source_item;

/** The folder that the person wants to sync, and what the overlay remembers of it. May be used while `sync_source` runs,
 *  otherwise OVL_WRONG_STATE; in a dry run, functions that change something return it as well.
 *
 *  Paths are relative to the folder: `/` separates names, and the empty path is the folder itself. A path that is absolute, or
 *  has `.`, `..` or an empty name, is OVL_INVALID_ARGUMENT. Symbolic links are listed, but never followed. The host does not
 *  list its own files: the previous version of each replaced file, `.NAME.overlayhost-backup` in the same folder, and the
 *  folder `.Trash-overlayhost`.
 *
 *  A function with an `expected` stamp changes nothing and returns OVL_CHANGED if the file has a different stamp. All functions
 *  honour cancel and deadline. OVL_NOT_FOUND, OVL_HOST_IO and OVL_NO_SPACE have their usual meaning. Since minor version 6. */
typedef struct ovl_source_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Entries of a folder, in the order of the bytes of their names. Names that are not UTF-8 are left out; the log
     *  has their number. */
    ovl_status (*OVL_NULLABLE list)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL folder,
                                    const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Many files at once. A missing one is a row, not an error. */
    ovl_status (*OVL_NULLABLE stat)(void *OVL_NULLABLE ctx, const ovl_texts *OVL_NONNULL paths,
                                    const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] The digests of many files. A file that cannot be read is a row, not an error. */
    ovl_status (*OVL_NULLABLE digest)(void *OVL_NULLABLE ctx, const ovl_texts *OVL_NONNULL paths,
                                      const ovl_source_sink *OVL_NONNULL files,
                                      const ovl_error_sink *OVL_NULLABLE error);
    /** [device] `length` bytes (OVL_UNKNOWN: to the end) from `offset`, in chunks. `expected`: null for any stamp. If the file
     *  changes while it is read, the function ends with OVL_CHANGED. */
    ovl_status (*OVL_NULLABLE read)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL path,
                                    const ovl_text *OVL_NULLABLE expected, uint64_t offset, uint64_t length,
                                    const ovl_bytes_sink *OVL_NONNULL bytes, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Writes a whole file, with the folders above it: all of it or nothing. `expected`: the stamp of the file that it
     *  replaces; null if no file may be there. The replaced version stays as a backup. One row says what the file is then. */
    ovl_status (*OVL_NULLABLE write)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL path,
                                     const ovl_bytes *OVL_NONNULL bytes, const ovl_text *OVL_NULLABLE expected,
                                     const ovl_source_sink *OVL_NONNULL file, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Moves a file to the person's trash, or to a trash in the folder if that is on another disk. */
    ovl_status (*OVL_NULLABLE trash)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL path,
                                     const ovl_text *OVL_NONNULL expected, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Copies files of the folder to a root of the device, as `push` of the transport service does; `items` is a list
     *  of ovl_source_item. A file that cannot be copied is a row, not an error. */
    ovl_status (*OVL_NULLABLE send)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_list *OVL_NONNULL items,
                                    const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Copies files of the device into the folder, each as `write` does; `items` is a list of ovl_source_item. A file
     *  that cannot be copied is a row, not an error. What is there of a copy that is cut off stays hidden in the folder, and a
     *  later `fetch` goes on with it if path, size and time of the file on the device are the same. */
    ovl_status (*OVL_NULLABLE fetch)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_list *OVL_NONNULL items,
                                     const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] The value that the overlay keeps under a key for this folder, device and app, in chunks. OVL_NOT_FOUND if there
     *  is none. Keys and limits are those of the storage service. */
    ovl_status (*OVL_NULLABLE state_get)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                         const ovl_bytes_sink *OVL_NONNULL value,
                                         const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Stores a value in place of the previous one, completely or not at all. It survives a power cut, and stays until
     *  the overlay removes it. */
    ovl_status (*OVL_NULLABLE state_put)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                         const ovl_bytes *OVL_NONNULL value, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Removes a key and its value. A missing key is not an error. */
    ovl_status (*OVL_NULLABLE state_remove)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                            const ovl_error_sink *OVL_NULLABLE error);
    /** [device] The keys, in the order of their bytes. */
    ovl_status (*OVL_NULLABLE state_keys)(void *OVL_NULLABLE ctx, const ovl_text_sink *OVL_NONNULL keys,
                                          const ovl_error_sink *OVL_NULLABLE error);
} ovl_source_service;

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
