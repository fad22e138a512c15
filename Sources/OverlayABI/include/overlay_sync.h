/* OverlayHost ABI, version 1: syncing with a folder of the user. Since minor version 6.
 *
 * An overlay that implements `sync_source` syncs a folder on the host and the reader app in both directions. While that
 * method runs, the source service gives it access to the folder. The host opens every file, so the overlay needs no access
 * to files, and content is copied between folder and device without passing through the overlay.
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
/** In `ovl_sync_options.flags`: delete items on one side that were deleted on the other. Without it, nothing is deleted. */
#define OVL_SYNC_DELETES 2u
/** In `ovl_sync_options.flags`: the user has agreed to changes that the overlay would otherwise refuse, such as many
 *  deletions. */
#define OVL_SYNC_FORCED 4u
/** In `ovl_sync_options.flags`: the plan also contains rows for items that are only on the device. */
#define OVL_SYNC_LISTS_OTHERS 8u

/** The user's options for a sync. */
typedef struct ovl_sync_options {
    uint32_t struct_size;
    /** OVL_SYNC_DRY_RUN, OVL_SYNC_DELETES, OVL_SYNC_FORCED, OVL_SYNC_LISTS_OTHERS. */
    uint32_t flags;
    /** The names of requests as explained in the overlay's help. These items are synced first, even if no rule selects them. */
    ovl_texts wanted;
} ovl_sync_options;

/** Adds an item that is missing on the other side. */
#define OVL_SYNC_ADD 1u
/** Changes a part of an item. */
#define OVL_SYNC_UPDATE 2u
/** Replaces a file. */
#define OVL_SYNC_REPLACE 3u
/** Removes an item. */
#define OVL_SYNC_REMOVE 4u
/** Leaves an item unchanged. */
#define OVL_SYNC_KEEP 5u
/** Both sides changed an item, so the user should examine it; `reason` describes what is done. */
#define OVL_SYNC_CONFLICT 6u
/** The item is only on the device, and nothing is done. */
#define OVL_SYNC_ONLY_ON_DEVICE 7u

/** In `ovl_sync_row.flags`: the device is changed. */
#define OVL_SYNC_ROW_CHANGES_DEVICE 1u
/** In `ovl_sync_row.flags`: the folder is changed. */
#define OVL_SYNC_ROW_CHANGES_SOURCE 2u
/** In `ovl_sync_row.flags`, with OVL_SYNC_KEEP: the item cannot be synced; `reason` says why. Unless it is a dry run, the row then needs
 *  a result with the error. */
#define OVL_SYNC_ROW_FAILS 4u

/** A row of the plan. */
typedef struct ovl_sync_row {
    uint32_t struct_size;
    /** OVL_SYNC_ROW_CHANGES_DEVICE, OVL_SYNC_ROW_CHANGES_SOURCE, OVL_SYNC_ROW_FAILS; 0 if none applies. */
    uint32_t flags;
    /** OVL_SYNC_ADD to OVL_SYNC_ONLY_ON_DEVICE. */
    uint32_t action;
    uint32_t reserved;
    /** The item, such as a path in the folder or the key of an entry. Absent if it is only on the device. */
    ovl_text item;
    /** The path on the device. Absent if the item is not there. At least one of `item` and `path` is present. */
    ovl_text path;
    /** The reason, as one sentence. Absent if the action needs none. */
    ovl_text reason;
    /** For a dry run: the values of both sides, in lines. May be absent. */
    ovl_text details;
    /** The number of bytes to copy. */
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

/** The largest size of a file for `write`, in bytes: 256 MiB. Larger ones are copied with `fetch`. */
#define OVL_SOURCE_WRITE_LIMIT 268435456ull
/** The largest number of entries for `list`; more is OVL_INVALID_ARGUMENT. */
#define OVL_SOURCE_ENTRIES_LIMIT 100000u

/** Information about a file or folder in the granted folder. */
typedef struct ovl_source_file {
    uint32_t struct_size;
    uint32_t flags;
    /** The name without folders. */
    ovl_text name;
    /** OVL_FILE_… */
    uint32_t kind;
    uint32_t reserved;
    /** Bytes. */
    uint64_t size;
    /** Nanoseconds since 1970-01-01 00:00 UTC. */
    int64_t modified;
    /** A text that changes whenever the file changes: at most 96 bytes, only for comparisons. Absent unless it is a regular
     *  file. */
    ovl_text stamp;
    /** `digest`, `write`, `send` and `fetch`: SHA-256 of the content in 64 hexadecimal digits. */
    ovl_text digest;
    /** `send` and `fetch`: the modification time of the content on the device, as `stat` of the transport service reports it; 0
     *  if unknown. */
    int64_t device_modified;
} ovl_source_file;

/** Receives files. `index`: of the input, or position in a listing. Unless `status` is OVL_OK, `file` is null and `error`
 *  describes the error; with OVL_OK, `error` is null. */
typedef struct ovl_source_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, ovl_status status,
                                   const ovl_source_file *OVL_NULLABLE file, const ovl_error *OVL_NULLABLE error);
} ovl_source_sink;

/** In `ovl_source_item.flags`, for `send`: an interrupted copy is kept in the folder of `device_path`, with a hidden name that
 *  begins with `.overlayhost-` and ends with `.begun`, and the next `send` of the same content to that folder continues it. Use
 *  it only in folders that the app does not read; the overlay removes copies there that it no longer needs. */
#define OVL_SOURCE_CONTINUES 1u

/** A file to copy between the folder and the device. */
typedef struct ovl_source_item {
    uint32_t struct_size;
    /** OVL_SOURCE_CONTINUES or 0. */
    uint32_t flags;
    /** The path in the folder. */
    ovl_text path;
    /** The path on the device. */
    ovl_text device_path;
    /** The required stamp of the file in the folder. `send`: absent for any. `fetch`: absent if there must be no file. */
    ovl_text expected;
} ovl_source_item;

/** The folder that the user wants to sync, and the overlay's state for it. May be used while `sync_source` runs, otherwise
 *  OVL_WRONG_STATE; in a dry run, functions that change something return it as well.
 *
 *  Paths are relative to the folder: `/` separates names, and the empty path is the folder itself. A path that is absolute, or
 *  has `.`, `..` or an empty name, is OVL_INVALID_ARGUMENT. Symbolic links are listed, but never followed. The host does not
 *  list its own files: the previous version of each replaced file, `.NAME.overlayhost-backup` in the same folder, and the
 *  folder `.Trash-overlayhost`.
 *
 *  A function with an `expected` stamp changes nothing and returns OVL_CHANGED if the file has a different stamp. All functions
 *  observe cancellation and deadline. OVL_NOT_FOUND, OVL_HOST_IO and OVL_NO_SPACE have their usual meaning. Since minor version
 *  6. */
typedef struct ovl_source_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Puts the entries of a folder, sorted by the bytes of their names. Names that are not UTF-8 are omitted; the log
     *  contains their number. */
    ovl_status (*OVL_NULLABLE list)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL folder,
                                    const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Puts information about many files. A missing one is a row, not an error. */
    ovl_status (*OVL_NULLABLE stat)(void *OVL_NULLABLE ctx, const ovl_texts *OVL_NONNULL paths,
                                    const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Puts the digests of many files. A file that cannot be read is a row, not an error. */
    ovl_status (*OVL_NULLABLE digest)(void *OVL_NULLABLE ctx, const ovl_texts *OVL_NONNULL paths,
                                      const ovl_source_sink *OVL_NONNULL files,
                                      const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Pushes `length` bytes (OVL_UNKNOWN: to the end) from `offset`, in chunks. `expected`: null for any stamp. If
     *  the file changes while it is read, the function ends with OVL_CHANGED. */
    ovl_status (*OVL_NULLABLE read)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL path,
                                    const ovl_text *OVL_NULLABLE expected, uint64_t offset, uint64_t length,
                                    const ovl_bytes_sink *OVL_NONNULL bytes, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Writes a complete file and creates its parent folders. The file is written completely or not at all.
     *  `expected`: the stamp of the file to replace; null if there must not be one. The replaced version is kept as a backup.
     *  Puts one row with information about the new file. */
    ovl_status (*OVL_NULLABLE write)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL path,
                                     const ovl_bytes *OVL_NONNULL bytes, const ovl_text *OVL_NULLABLE expected,
                                     const ovl_source_sink *OVL_NONNULL file, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Moves a file to the user's trash, or to a trash in the folder if the user's trash is on another disk. */
    ovl_status (*OVL_NULLABLE trash)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL path,
                                     const ovl_text *OVL_NONNULL expected, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Copies files of the folder to a root of the device, like `push` of the transport service; `items` is a list of
     *  ovl_source_item. A file that cannot be copied is a row, not an error. */
    ovl_status (*OVL_NULLABLE send)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_list *OVL_NONNULL items,
                                    const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Copies files of the device into the folder, each like `write`; `items` is a list of ovl_source_item. A file
     *  that cannot be copied is a row, not an error. An interrupted copy is kept with a hidden name in the folder, and a later
     *  `fetch` continues it if path, size and time of the file on the device are the same. */
    ovl_status (*OVL_NULLABLE fetch)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_list *OVL_NONNULL items,
                                     const ovl_source_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Pushes the overlay's value for a key in this folder, device and app, in chunks. OVL_NOT_FOUND if there is none.
     *  Keys and limits are those of the storage service. */
    ovl_status (*OVL_NULLABLE state_get)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                         const ovl_bytes_sink *OVL_NONNULL value,
                                         const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Stores a value in place of the previous one, completely or not at all. It survives a power failure, and is kept
     *  until the overlay removes it. */
    ovl_status (*OVL_NULLABLE state_put)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                         const ovl_bytes *OVL_NONNULL value, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Removes a key and its value. A missing key is not an error. */
    ovl_status (*OVL_NULLABLE state_remove)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                            const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Puts the keys, sorted by their bytes. */
    ovl_status (*OVL_NULLABLE state_keys)(void *OVL_NULLABLE ctx, const ovl_text_sink *OVL_NONNULL keys,
                                          const ovl_error_sink *OVL_NULLABLE error);
} ovl_source_service;

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
