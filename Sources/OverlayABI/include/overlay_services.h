/* OverlayHost ABI, version 1: the services that a host provides to its overlays.
 *
 * Services that read files are in overlay_content.h, the one for a granted folder is in overlay_sync.h.
 *
 * An overlay asks for a service by id with `ovl_host.get_service` and receives a table, or null if this host has no such
 * service or a smaller one than `min_size`. A table stays valid until `destroy` returns. Every function of a table
 * takes the table's own `ctx` first.
 *
 * Threads: a function tagged [device] may be called only while a method of the instance runs, on the thread that
 * runs it; one tagged [any] from any thread between `create` and the return of `destroy`.
 * States: see overlay_methods.h. Functions of the transport service are refused with OVL_WRONG_STATE outside
 * {initialized, attached} and within methods marked pure.
 * Errors: each function returns a status. Unless it is OVL_OK, the function first puts one ovl_error into `error`, which
 * may be null if the caller does not need it.
 */
#ifndef OVERLAYHOST_OVERLAY_SERVICES_H
#define OVERLAYHOST_OVERLAY_SERVICES_H

#include "overlay_records.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#define OVL_SERVICE_LOG "org.overlayhost.log/1"
#define OVL_SERVICE_PREFS "org.overlayhost.prefs/1"
#define OVL_SERVICE_PROGRESS "org.overlayhost.progress/1"
#define OVL_SERVICE_CANCEL "org.overlayhost.cancel/1"
#define OVL_SERVICE_TRANSPORT "org.overlayhost.transport/1"
#define OVL_SERVICE_STORAGE "org.overlayhost.storage/1"
#define OVL_SERVICE_CALLS "org.overlayhost.calls/1"

/* ---- log ---------------------------------------------------------------------------------------------------- */

/** The severity of a log record. The last two report breaches of this contract. */
#define OVL_LOG_TRACE 0u
#define OVL_LOG_DEBUG 1u
#define OVL_LOG_INFO 2u
#define OVL_LOG_NOTICE 3u
#define OVL_LOG_WARNING 4u
#define OVL_LOG_ERROR 5u
#define OVL_LOG_OVERLAY_MISBEHAVING 6u
#define OVL_LOG_HOST_MISBEHAVING 7u

/** One key and value of a log message. */
typedef struct ovl_pair {
    uint32_t struct_size;
    uint32_t flags;
    ovl_text key;
    ovl_text value;
} ovl_pair;

/** The log. An overlay never writes to stdout or stderr itself. */
typedef struct ovl_log_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [any] 1 if a record with that severity would be kept, else 0. */
    int32_t (*OVL_NULLABLE enabled)(void *OVL_NULLABLE ctx, uint32_t severity);
    /** [any] Records `message` with `category`; `pairs` is a list of ovl_pair or null. Does not block or fail. */
    void (*OVL_NULLABLE write)(void *OVL_NULLABLE ctx, uint32_t severity, const ovl_text *OVL_NONNULL category,
                               const ovl_text *OVL_NONNULL message, const ovl_list *OVL_NULLABLE pairs);
} ovl_log_service;

/* ---- prefs -------------------------------------------------------------------------------------------------- */

/** The preferences that an overlay may read by key: its own options and the host's common switches. OVL_NOT_FOUND: this overlay
 *  has no such key. */
typedef struct ovl_prefs_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [any] Writes a boolean into `value` (0 or 1); `fallback` if the key is unset. OVL_INVALID_ARGUMENT: the value has a
     *  different type. */
    ovl_status (*OVL_NULLABLE get_bool)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key, int32_t fallback,
                                        int32_t *OVL_NONNULL value, const ovl_error_sink *OVL_NULLABLE error);
    /** [any] Writes an integer. */
    ovl_status (*OVL_NULLABLE get_integer)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key, int64_t fallback,
                                           int64_t *OVL_NONNULL value, const ovl_error_sink *OVL_NULLABLE error);
    /** [any] Writes a number. */
    ovl_status (*OVL_NULLABLE get_number)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key, double fallback,
                                          double *OVL_NONNULL value, const ovl_error_sink *OVL_NULLABLE error);
    /** [any] Puts the value if it is a text, or each element of a list of texts; nothing if the key is unset. */
    ovl_status (*OVL_NULLABLE get_texts)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                         const ovl_text_sink *OVL_NONNULL values,
                                         const ovl_error_sink *OVL_NULLABLE error);
    /** [any] Puts the value as JSON text; nothing if the key is unset. For objects such as `cc_mappings`. */
    ovl_status (*OVL_NULLABLE get_json)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                        const ovl_text_sink *OVL_NONNULL value,
                                        const ovl_error_sink *OVL_NULLABLE error);
    /** [any] Asks the host to store a JSON value for one of the overlay's own options. OVL_OK: the value is in the file, and
     *  the next read returns it. OVL_ACCESS_REFUSED: the key is not the overlay's own, or this host does not store values for
     *  overlays. OVL_INVALID_ARGUMENT: the value is not JSON, has a different type, or is outside the option's range or allowed
     *  texts. OVL_HOST_IO: the file is damaged or cannot be read or written. Unless OVL_OK is returned, nothing has changed. */
    ovl_status (*OVL_NULLABLE request_set)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL key,
                                           const ovl_text *OVL_NONNULL json,
                                           const ovl_error_sink *OVL_NULLABLE error);
} ovl_prefs_service;

/* ---- progress and cancel ------------------------------------------------------------------------------------ */

/** Progress of the running method. */
typedef struct ovl_progress_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Reports that `completed` of `total` items (OVL_UNKNOWN: not known) are done in `phase`: a few words that begin
     *  with a capital letter, such as "Reading books", which the host displays. The number may decrease. The host
     *  displays the bytes of transfers by itself. While the source service copies files, it adds the name of the file to the
     *  phase, and counts copied files until the next report. */
    void (*OVL_NULLABLE report)(void *OVL_NULLABLE ctx, uint64_t completed, uint64_t total,
                                const ovl_text *OVL_NULLABLE phase);
} ovl_progress_service;

/** Cancellation and deadline of the running method. Every blocking service function observes both.
 *
 *  After the overlay learned about it, because `is_cancelled` returned 1 on its own thread or a function returned OVL_CANCELLED
 *  or OVL_TIMED_OUT, the transport works again for five seconds, so that the overlay can undo unfinished work. If the device is
 *  gone, it does not. */
typedef struct ovl_cancel_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [any] 1 if the running method was cancelled, has passed its deadline, or has lost its device; else 0. */
    int32_t (*OVL_NULLABLE is_cancelled)(void *OVL_NULLABLE ctx);
    /** [any] The nanoseconds left for the running method; OVL_UNKNOWN: no limit. */
    uint64_t (*OVL_NULLABLE time_left)(void *OVL_NULLABLE ctx);
    /** [device] Waits for this many nanoseconds. Use it for polling. Returns early with OVL_CANCELLED, OVL_TIMED_OUT or
     *  OVL_DEVICE_GONE. */
    ovl_status (*OVL_NULLABLE wait)(void *OVL_NULLABLE ctx, uint64_t nanoseconds,
                                    const ovl_error_sink *OVL_NULLABLE error);
} ovl_cancel_service;

/* ---- transport ---------------------------------------------------------------------------------------------- */

/** The roots on the device. Paths are absolute in each root ("/Documents/x"), `/` separates names, and `.` and `..` are
 *  refused. */
#define OVL_ROOT_CONTAINER 1u
#define OVL_ROOT_DOCUMENTS 2u
#define OVL_ROOT_MEDIA 3u

/** In the flags of ovl_device: the device is connected over Wi-Fi, not by a cable. Since minor version 6. */
#define OVL_DEVICE_OVER_NETWORK 1u

/** The device and the app of this instance. */
typedef struct ovl_device {
    uint32_t struct_size;
    /** OVL_DEVICE_… */
    uint32_t flags;
    ovl_text udid;
    ovl_text name;
    /** The ProductType, such as `iPad2,5`. */
    ovl_text model;
    /** The ProductVersion, such as `8.1.3`. */
    ovl_text ios_version;
    ovl_text app_id;
    ovl_text app_name;
    ovl_text app_version;
    /** The extensions of the files that the app declares to open (its document types), in lower case, without a dot, in the
     *  app's order. Empty if unknown. Since minor version 2, like all fields below. */
    ovl_texts app_formats;
    /** 1 if the app shares its Documents folder (UIFileSharingEnabled), else 0. */
    uint32_t app_file_sharing;
    uint32_t reserved;
} ovl_device;

/** Receives the single device record. */
typedef struct ovl_device_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_device *OVL_NONNULL device);
} ovl_device_sink;

/** A root and the access to it. */
typedef struct ovl_root {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_ROOT_… */
    uint32_t root;
    /** 1 granted, 0 refused. */
    uint32_t granted;
    /** The reason for a refusal, and what the user can do. Absent if access is granted. */
    ovl_text reason;
    ovl_text hint;
} ovl_root;

/** Receives one record per root. */
typedef struct ovl_root_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_root *OVL_NONNULL root);
} ovl_root_sink;

#define OVL_FILE_REGULAR 1u
#define OVL_FILE_FOLDER 2u
#define OVL_FILE_LINK 3u
#define OVL_FILE_OTHER 4u

/** The device's information about a file. */
typedef struct ovl_file_info {
    uint32_t struct_size;
    uint32_t flags;
    /** The name without folders. */
    ovl_text name;
    /** OVL_FILE_…; 0 if a listing was requested with names only. */
    uint32_t kind;
    uint32_t reserved;
    /** Bytes. */
    uint64_t size;
    /** Nanoseconds since 1970-01-01 00:00 UTC. */
    int64_t modified;
    int64_t created;
} ovl_file_info;

/** Receives file records. `index`: of the input path, or position in a listing. Unless `status` is OVL_OK, `info` is null,
 *  `status` is the kind of error (OVL_NOT_FOUND …), and `error` describes it; with OVL_OK, `error` is null. */
typedef struct ovl_file_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, ovl_status status,
                                   const ovl_file_info *OVL_NULLABLE info, const ovl_error *OVL_NULLABLE error);
} ovl_file_sink;

/** A read of a range in a batch. */
typedef struct ovl_read_request {
    uint32_t struct_size;
    /** OVL_READ_… bits. */
    uint32_t flags;
    ovl_text path;
    uint64_t offset;
    /** The largest number of bytes, up to OVL_READ_LIMIT. Fewer arrive only at the end of the file, unless OVL_READ_ONCE is
     *  set. */
    uint64_t length;
} ovl_read_request;

/** The largest number of bytes for one request of `read_many`: 16 MiB. */
#define OVL_READ_LIMIT 16777216ull
/** In `ovl_read_request.flags`: ask the device only once. Fewer than `length` bytes may then arrive even before the end of the
 *  file. Saves one request for each small file whose content shows whether it is complete. */
#define OVL_READ_ONCE 1u
/** In `ovl_read_request.flags`: the range ends at the end of the file, and the method will ask the metadata service about the
 *  file next. The host then also reads the parts for the metadata while the file is open, if it has enough memory. */
#define OVL_READ_BEFORE_METADATA 2u

/** Receives the complete bytes of each request of a batch, in any order. Unless `status` is OVL_OK, `bytes` is null and `error`
 *  describes the error; with OVL_OK, `error` is null. */
typedef struct ovl_read_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, ovl_status status,
                                   const ovl_bytes *OVL_NULLABLE bytes, const ovl_error *OVL_NULLABLE error);
} ovl_read_sink;

/** A file of the host to copy to the device. */
typedef struct ovl_push_item {
    uint32_t struct_size;
    uint32_t flags;
    ovl_file_id file;
    /** The final path on the device. */
    ovl_text path;
} ovl_push_item;

/** In `list`: also request type, size and times of each entry (one more request per entry). */
#define OVL_LIST_WITH_INFO 1u
/** In `write` and `push`: verify the content by digest, not only the size (reads the file back). */
#define OVL_WRITE_VERIFY_DIGEST 1u
/** In `remove`: remove a folder and its content. */
#define OVL_REMOVE_RECURSIVE 1u

/** The device's files. All functions are [device], observe cancellation, deadline and unplugging, and never leave an incomplete
 *  file with its final name: files are written with a temporary name, verified, and then renamed. */
typedef struct ovl_transport_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** Puts the device and app. Does not send requests to the device. */
    ovl_status (*OVL_NULLABLE device)(void *OVL_NULLABLE ctx, const ovl_device_sink *OVL_NONNULL device,
                                      const ovl_error_sink *OVL_NULLABLE error);
    /** Puts the access to each root, with the reason for each that is refused. */
    ovl_status (*OVL_NULLABLE roots)(void *OVL_NULLABLE ctx, const ovl_root_sink *OVL_NONNULL roots,
                                     const ovl_error_sink *OVL_NULLABLE error);
    /** Puts the entries of a folder, except `.` and `..`. `options`: OVL_LIST_WITH_INFO or 0. */
    ovl_status (*OVL_NULLABLE list)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_text *OVL_NONNULL path,
                                    uint32_t options, const ovl_file_sink *OVL_NONNULL files,
                                    const ovl_error_sink *OVL_NULLABLE error);
    /** Puts type, size and times of many paths. A missing path is a row, not an error. */
    ovl_status (*OVL_NULLABLE stat)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_texts *OVL_NONNULL paths,
                                    const ovl_file_sink *OVL_NONNULL files, const ovl_error_sink *OVL_NULLABLE error);
    /** Pushes `length` bytes (OVL_UNKNOWN: to the end) from `offset`, in chunks. */
    ovl_status (*OVL_NULLABLE read)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_text *OVL_NONNULL path,
                                    uint64_t offset, uint64_t length, const ovl_bytes_sink *OVL_NONNULL bytes,
                                    const ovl_error_sink *OVL_NULLABLE error);
    /** Performs many small reads; `requests` is a list of ovl_read_request. A failed one is a row, not an error. */
    ovl_status (*OVL_NULLABLE read_many)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_list *OVL_NONNULL requests,
                                         const ovl_read_sink *OVL_NONNULL results,
                                         const ovl_error_sink *OVL_NULLABLE error);
    /** Writes a complete file, and replaces an existing one. `options`: OVL_WRITE_VERIFY_DIGEST or 0. */
    ovl_status (*OVL_NULLABLE write)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_text *OVL_NONNULL path,
                                     const ovl_bytes *OVL_NONNULL bytes, uint32_t options,
                                     const ovl_error_sink *OVL_NULLABLE error);
    /** Copies many files of the host to the device; `items` is a list of ovl_push_item. One row per item, in any order;
     *  a failed one is a row, not an error. */
    ovl_status (*OVL_NULLABLE push)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_list *OVL_NONNULL items,
                                    uint32_t options, const ovl_result_sink *OVL_NONNULL results,
                                    const ovl_error_sink *OVL_NULLABLE error);
    /** Copies many files of the device to a temporary place on the host; each row contains a new `file` id, valid until the
     *  running method returns. */
    ovl_status (*OVL_NULLABLE pull)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_texts *OVL_NONNULL paths,
                                    const ovl_result_sink *OVL_NONNULL results,
                                    const ovl_error_sink *OVL_NULLABLE error);
    /** Renames a file in a root, and replaces an existing one. */
    ovl_status (*OVL_NULLABLE rename)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_text *OVL_NONNULL from,
                                      const ovl_text *OVL_NONNULL to, const ovl_error_sink *OVL_NULLABLE error);
    /** Removes a file or an empty folder. `options`: OVL_REMOVE_RECURSIVE or 0. OVL_NOT_FOUND if it does not exist. */
    ovl_status (*OVL_NULLABLE remove)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_text *OVL_NONNULL path,
                                      uint32_t options, const ovl_error_sink *OVL_NULLABLE error);
    /** Creates a folder and its missing parents. The folder may already exist. */
    ovl_status (*OVL_NULLABLE make_folder)(void *OVL_NULLABLE ctx, uint32_t root, const ovl_text *OVL_NONNULL path,
                                           const ovl_error_sink *OVL_NULLABLE error);
    /** Writes the free and total space on the device, in bytes. */
    ovl_status (*OVL_NULLABLE free_space)(void *OVL_NULLABLE ctx, uint64_t *OVL_NONNULL free_bytes,
                                          uint64_t *OVL_NONNULL total_bytes,
                                          const ovl_error_sink *OVL_NULLABLE error);
    /** Puts the name (not the path) and size of a lent host file; `index` of the row is 0. */
    ovl_status (*OVL_NULLABLE local_info)(void *OVL_NULLABLE ctx, ovl_file_id file,
                                          const ovl_file_sink *OVL_NONNULL info,
                                          const ovl_error_sink *OVL_NULLABLE error);
    /** Pushes bytes of a lent host file. */
    ovl_status (*OVL_NULLABLE local_read)(void *OVL_NULLABLE ctx, ovl_file_id file, uint64_t offset, uint64_t length,
                                          const ovl_bytes_sink *OVL_NONNULL bytes,
                                          const ovl_error_sink *OVL_NULLABLE error);
} ovl_transport_service;

/* ---- storage ------------------------------------------------------------------------------------------------ */

/** Data that can be recreated. It may disappear at any time, even while the overlay runs. */
#define OVL_STORAGE_CACHE 1u
/** Data that cannot be recreated, such as a user's edits. It is kept until the overlay removes it. */
#define OVL_STORAGE_DATA 2u

/** The largest size of a key in bytes. */
#define OVL_STORAGE_KEY_LIMIT 128u
/** The largest size of a value in bytes: 256 MiB. */
#define OVL_STORAGE_VALUE_LIMIT 268435456ull
/** The largest number of keys in an area. */
#define OVL_STORAGE_KEYS_LIMIT 100000u
/** The largest size of all values in an area, in bytes: 1 GiB. */
#define OVL_STORAGE_AREA_LIMIT 1073741824ull

/** Small files of the overlay on the host, separate for each overlay, device and app.
 *
 *  A key is `[A-Za-z0-9][A-Za-z0-9._-]*`, at most OVL_STORAGE_KEY_LIMIT bytes; upper and lower case differ. An area is
 *  OVL_STORAGE_…. Any other key or area, or a value larger than OVL_STORAGE_VALUE_LIMIT, is OVL_INVALID_ARGUMENT. An area holds
 *  at most OVL_STORAGE_KEYS_LIMIT keys and OVL_STORAGE_AREA_LIMIT bytes; more is OVL_NO_SPACE. Pure methods may use the
 *  service. Another process may serve the same app at the same time: the last write is kept, and a reader sees one complete
 *  value or the other. */
typedef struct ovl_storage_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Pushes the value of a key in chunks. OVL_NOT_FOUND if there is none. */
    ovl_status (*OVL_NULLABLE get)(void *OVL_NULLABLE ctx, uint32_t area, const ovl_text *OVL_NONNULL key,
                                   const ovl_bytes_sink *OVL_NONNULL value,
                                   const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Stores a value in place of the previous one, completely or not at all. Fails with OVL_NO_SPACE or OVL_HOST_IO. */
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint32_t area, const ovl_text *OVL_NONNULL key,
                                   const ovl_bytes *OVL_NONNULL value, const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Removes a key and its value. A missing key is not an error. */
    ovl_status (*OVL_NULLABLE remove)(void *OVL_NULLABLE ctx, uint32_t area, const ovl_text *OVL_NONNULL key,
                                      const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Puts the keys of an area, sorted by their bytes. */
    ovl_status (*OVL_NULLABLE keys)(void *OVL_NULLABLE ctx, uint32_t area, const ovl_text_sink *OVL_NONNULL keys,
                                    const ovl_error_sink *OVL_NULLABLE error);
} ovl_storage_service;

/* ---- calls -------------------------------------------------------------------------------------------------- */

/** Names of running methods, with which programs that use the same device take turns: an overlay writes the name where other
 *  programs can read it, and they can check whether the program that wrote it is still running. Since minor version 3. */
typedef struct ovl_calls_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Puts a new name of the running method into `name`: at most 96 bytes of `[0-9a-z-]`. It does not contain
     *  information about this computer. */
    ovl_status (*OVL_NULLABLE name_call)(void *OVL_NULLABLE ctx, const ovl_text_sink *OVL_NONNULL name,
                                         const ovl_error_sink *OVL_NULLABLE error);
    /** [any] 1 if it is certain that the method with this name has returned: it ran in this host, or in another host on this
     *  computer that has ended. 0 for all other names. */
    int32_t (*OVL_NULLABLE has_ended)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL name);
} ovl_calls_service;

/* ---- the host ----------------------------------------------------------------------------------------------- */

/** The record for `create`. Valid until `destroy` returns. */
typedef struct ovl_host {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** The host's ABI version: OVL_ABI_MAJOR and OVL_ABI_MINOR with which it was built. */
    uint32_t abi_major;
    uint32_t abi_minor;
    /** Name and version of the host program, for logs. */
    ovl_text name;
    ovl_text version;
    /** [any] The table of a service, or null: unknown id (compared exactly), or a table smaller than `min_size` bytes. */
    const void *OVL_NULLABLE (*OVL_NULLABLE get_service)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL id,
                                                         uint32_t min_size);
} ovl_host;

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
