/* OverlayHost ABI, version 1: the entry record and methods of an overlay.
 *
 * An overlay is a shared library that exports one function, ovl_entry_v1. Loading order:
 *
 *     dlopen → ovl_entry_v1() → entry: descriptor, methods, create, destroy → create(host) → methods → destroy
 *
 * Nothing but `create` and the methods may have side effects. The methods are those of calibre's DevicePlugin, with
 * `initialize` and `shutdown`. A null slot means that the method is not implemented.
 *
 * Threads: `ovl_entry_v1`, descriptor and tables: [any]. `create`, `destroy` and all methods: [device], the one thread of
 * the instance, one call at a time. During a service call the host never calls back into the overlay.
 *
 * States of an instance:
 *
 *     created ─initialize→ initialized ⇄ attached ─(cable pulled)→ yanked ─post_yank_cleanup→ initialized
 *                                          └───────eject→ ejected ─post_yank_cleanup→ initialized
 *     initialized | attached | yanked | ejected ─shutdown→ shut down ─destroy→ destroyed
 *
 * The host attaches after `can_handle` answered OVL_PRESENCE_YES. Each method names the states in which it is called.
 * Pure methods (marked so) must not use the transport service; the host refuses it.
 * Errors: a method that returns any status but OVL_OK first puts one ovl_error into `error`. Failures of single
 * items are rows with OVL_OK as the method's status. `error` is never null for methods.
 */
#ifndef OVERLAYHOST_OVERLAY_METHODS_H
#define OVERLAYHOST_OVERLAY_METHODS_H

#include "overlay_sync.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

/** An instance: opaque to the host. */
typedef struct ovl_instance ovl_instance;

/** Types of an option. */
#define OVL_OPTION_BOOL 1u
#define OVL_OPTION_INTEGER 2u
#define OVL_OPTION_NUMBER 3u
#define OVL_OPTION_TEXT 4u
#define OVL_OPTION_TEXTS 5u
#define OVL_OPTION_OBJECT 6u

/** A preference of the overlay. */
typedef struct ovl_option {
    uint32_t struct_size;
    /** OVL_OPTION_HAS_RANGE, OVL_OPTION_SYNC_FOLDER or 0. */
    uint32_t flags;
    /** Key in the prefs file. Begins with the overlay's id and `_`, or is one of the historical keys of its app. */
    ovl_text key;
    /** OVL_OPTION_… */
    uint32_t type;
    uint32_t reserved;
    /** The default value as JSON text. */
    ovl_text fallback;
    /** Smallest and largest number, if OVL_OPTION_HAS_RANGE. */
    double minimum;
    double maximum;
    /** The allowed texts; absent for any. */
    ovl_texts allowed;
    /** A label of a few words. */
    ovl_text label;
    /** An explanation of one sentence. */
    ovl_text help;
} ovl_option;

/** In `ovl_option.flags`: `minimum` and `maximum` apply. */
#define OVL_OPTION_HAS_RANGE 1u
/** In `ovl_option.flags`, for a text: the path of the folder on the host with which `sync_source` syncs if the user names none. It
 *  is absolute or begins with `~/`; an empty text names none. At most one option has it. Since minor version 6. */
#define OVL_OPTION_SYNC_FOLDER 2u

/** Books can be fetched back to the host (calibre: BACKLOADING_ERROR_MESSAGE is None). */
#define OVL_TRAIT_CAN_FETCH 1u
/** calibre: CAN_DO_DEVICE_DB_PLUGBOARD. */
#define OVL_TRAIT_DEVICE_DB_PLUGBOARD 2u
/** calibre: WANTS_UPDATED_THUMBNAILS. */
#define OVL_TRAIT_WANTS_UPDATED_THUMBNAILS 4u
/** Serves every installed app that shares its Documents folder (UIFileSharingEnabled) and that other overlays do not name.
 *  `app_ids` may then be empty. If there are several such overlays, the first one is used. Since minor version 2. */
#define OVL_TRAIT_ANY_FILE_SHARING_APP 8u
/** Reads files from URLs (OVL_SOURCE_URL). A host allows this only for overlays with this trait, and only if the user has
 *  permitted it; otherwise the result is OVL_ACCESS_REFUSED. Since minor version 4. */
#define OVL_TRAIT_FETCHES_WEB 16u

/** The time limits of one of the overlay's functions, in place of the defaults in docs/abi.md. Since minor version 3. */
typedef struct ovl_time_limit {
    uint32_t struct_size;
    uint32_t flags;
    /** The name of a function of `ovl_methods` or `ovl_entry`, such as `books`. */
    ovl_text method;
    /** Nanoseconds from its call to its return; OVL_UNKNOWN: no limit; 0: the default. */
    uint64_t total;
    /** The largest number of nanoseconds without a call to the host, at most ten minutes; 0: the default. */
    uint64_t silence;
} ovl_time_limit;

/** The description of an overlay, readable without creating an instance. Constant; never freed. */
typedef struct ovl_descriptor {
    uint32_t struct_size;
    /** OVL_TRAIT_… bits. */
    uint32_t flags;
    /** `[a-z0-9][a-z0-9_-]*`, at most 64 bytes. Unique among the overlays of a host. */
    ovl_text id;
    /** The name of the overlay for display. */
    ovl_text name;
    /** Semantic version of the overlay. */
    ovl_text version;
    /** A summary of one sentence. */
    ovl_text summary;
    /** The reader app's name in the prefs (`preferred_reader_app`). */
    ovl_text app_name;
    /** The bundle ids that the overlay serves, in order of preference. */
    ovl_texts app_ids;
    /** calibre: FORMATS. File name extensions in lower case, without a dot, in order of preference. */
    ovl_texts formats;
    /** calibre: CAN_SET_METADATA. The values that `sync_booklists` can change: any of `title`, `title_sort`, `authors`,
     *  `author_sort`, `series`, `series_index`, `publisher`, `pubdate`, `description`, `tags`, `collections`, `rating`,
     *  `cover`, `locked`, `word_count`. */
    ovl_texts settable_metadata;
    /** calibre: DEVICE_PLUGBOARD_NAME. */
    ovl_text plugboard_name;
    /** calibre: THUMBNAIL_HEIGHT, pixels. */
    uint32_t thumbnail_height;
    uint32_t reserved;
    /** List of ovl_option. */
    ovl_list options;
    /** The help for users, in Markdown. */
    ovl_text help;
    /** List of ovl_time_limit, each function at most once. Since minor version 3, like all fields below. */
    ovl_list time_limits;
} ovl_descriptor;

/** An ability that is not available for this device and app. */
typedef struct ovl_missing {
    uint32_t struct_size;
    /** One OVL_HINT_… or 0. */
    uint32_t flags;
    /** `books`, `upload`, `delete`, `update`, `collections`, `get` or `covers`. */
    ovl_text ability;
    /** The reason, as one sentence. */
    ovl_text reason;
    /** What the user can do. Absent if nothing helps. */
    ovl_text hint;
} ovl_missing;

/** The settings for this device and app, which replace values in the descriptor. Since minor version 2. */
typedef struct ovl_settings {
    uint32_t struct_size;
    uint32_t flags;
    /** As in `ovl_descriptor`. Empty: any format. Absent: as in the descriptor. */
    ovl_texts formats;
    /** As in `ovl_descriptor`. Empty: nothing can be changed. Absent: as in the descriptor. */
    ovl_texts settable_metadata;
    /** List of ovl_missing: the missing abilities of this device and app, each at most once. */
    ovl_list missing;
} ovl_settings;

/** Receives the single record of `settings`. */
typedef struct ovl_settings_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_settings *OVL_NONNULL settings);
} ovl_settings_sink;

/** The methods. Slots may be null. */
typedef struct ovl_methods {
    uint32_t struct_size;
    uint32_t flags;

    /** {created} Prepares the instance; no device is needed. Success leads to the state initialized. Pure. */
    ovl_status (*OVL_NULLABLE initialize)(ovl_instance *OVL_NONNULL instance, const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached, yanked, ejected} Ends the instance's work. Always leads to the state shut down. Pure. */
    ovl_status (*OVL_NULLABLE shutdown)(ovl_instance *OVL_NONNULL instance, const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached, ejected} Finds this overlay's device among the USB devices (list of ovl_fingerprint) and writes
     *  its index into `index`, or -1. `presence_only` 1: the device is known; only report whether it is still connected. A host
     *  that looks for devices in this way may call it often, so it must be fast and idempotent. OverlayHost asks usbmuxd for
     *  the devices, checks the installed app, and calls this only in `overlayhost check`. Null: the host only checks the
     *  installed app. */
    ovl_status (*OVL_NULLABLE is_usb_connected)(ovl_instance *OVL_NONNULL instance,
                                                const ovl_list *OVL_NONNULL devices, int32_t presence_only,
                                                int64_t *OVL_NONNULL index, const ovl_error_sink *OVL_NONNULL error);

    /** Like is_usb_connected, on Windows. Null elsewhere. */
    ovl_status (*OVL_NULLABLE is_usb_connected_windows)(ovl_instance *OVL_NONNULL instance,
                                                        const ovl_list *OVL_NONNULL devices, int32_t presence_only,
                                                        int64_t *OVL_NONNULL index,
                                                        const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached} Checks whether this device can be served now. Puts exactly one answer. The transport service can
     *  already access the device, so the method may check the reader app's state. Called often while waiting for a reader
     *  app. */
    ovl_status (*OVL_NULLABLE can_handle)(ovl_instance *OVL_NONNULL instance, const ovl_fingerprint *OVL_NONNULL device,
                                          const ovl_presence_sink *OVL_NONNULL answer,
                                          const ovl_error_sink *OVL_NONNULL error);

    /** Like can_handle, on Windows. Null elsewhere. */
    ovl_status (*OVL_NULLABLE can_handle_windows)(ovl_instance *OVL_NONNULL instance,
                                                  const ovl_fingerprint *OVL_NONNULL device,
                                                  const ovl_presence_sink *OVL_NONNULL answer,
                                                  const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Pushes every book of the reader app. A card volume has none. OVL_STOPPED if the sink stopped. */
    ovl_status (*OVL_NULLABLE books)(ovl_instance *OVL_NONNULL instance, const ovl_books_options *OVL_NONNULL options,
                                     const ovl_book_sink *OVL_NONNULL books, const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Adds books; `items` is a list of ovl_upload_item. Puts one row per item, whether it succeeds or fails, even
     *  if the complete method fails or is cancelled. Does not delete a book before its replacement is on the device and
     *  verified. */
    ovl_status (*OVL_NULLABLE upload_books)(ovl_instance *OVL_NONNULL instance, const ovl_list *OVL_NONNULL items,
                                            const ovl_upload_options *OVL_NONNULL options,
                                            const ovl_result_sink *OVL_NONNULL results,
                                            const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached, yanked, ejected} Pure. Puts the edits that update `snapshot` (list of ovl_book) after an upload.
     *  `added`: list of ovl_book, each with the `path` that its upload reported. */
    ovl_status (*OVL_NULLABLE add_books_to_metadata)(ovl_instance *OVL_NONNULL instance,
                                                     const ovl_list *OVL_NONNULL added,
                                                     const ovl_list *OVL_NONNULL snapshot,
                                                     const ovl_edit_sink *OVL_NONNULL edits,
                                                     const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Deletes the books with these paths. Puts one row per path. Without paths nothing is deleted, but an overlay
     *  that leaves files on the device while it works cleans up after an interrupted call, as it does before every deletion. */
    ovl_status (*OVL_NULLABLE delete_books)(ovl_instance *OVL_NONNULL instance, const ovl_texts *OVL_NONNULL paths,
                                            const ovl_result_sink *OVL_NONNULL results,
                                            const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached, yanked, ejected} Pure. Puts the edits that update `snapshot` (list of ovl_book) after a deletion
     *  of `paths`. A path that is not in the snapshot is not an error. */
    ovl_status (*OVL_NULLABLE remove_books_from_metadata)(ovl_instance *OVL_NONNULL instance,
                                                          const ovl_texts *OVL_NONNULL paths,
                                                          const ovl_list *OVL_NONNULL snapshot,
                                                          const ovl_edit_sink *OVL_NONNULL edits,
                                                          const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Writes the edited booklist (list of ovl_book, identified by `path`) to the reader app. The books have their
     *  new values. The overlay compares each with the app's book, and puts one row per book that differs, with its new `path`.
     *
     *  A field that is absent is not changed, but `collections` is always the complete list (empty: in none). Fields that are
     *  not in `settable_metadata` are ignored. `cover` with bytes sets this cover. Books that are not in the list are not
     *  changed. */
    ovl_status (*OVL_NULLABLE sync_booklists)(ovl_instance *OVL_NONNULL instance, const ovl_list *OVL_NONNULL books,
                                              const ovl_result_sink *OVL_NONNULL results,
                                              const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Pushes the bytes of one book. */
    ovl_status (*OVL_NULLABLE get_file)(ovl_instance *OVL_NONNULL instance, const ovl_text *OVL_NONNULL path,
                                        const ovl_bytes_sink *OVL_NONNULL bytes,
                                        const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Fetches books so that the host can keep them. Puts one row per path, with the `file` that `pull` returned. */
    ovl_status (*OVL_NULLABLE prepare_addable_books)(ovl_instance *OVL_NONNULL instance,
                                                     const ovl_texts *OVL_NONNULL paths,
                                                     const ovl_result_sink *OVL_NONNULL results,
                                                     const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Ends the connection at the user's request. Success leads to the state ejected. */
    ovl_status (*OVL_NULLABLE eject)(ovl_instance *OVL_NONNULL instance, const ovl_error_sink *OVL_NONNULL error);

    /** {yanked, ejected} Pure. Forgets the device. Has one second and must not fail; leads to the state initialized. */
    ovl_status (*OVL_NULLABLE post_yank_cleanup)(ovl_instance *OVL_NONNULL instance,
                                                 const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached} Puts one record with the abilities for this device and app. It may use the preferences and the
     *  transport's functions `device` and `roots`, which do not send requests to the device. Null: the descriptor applies.
     *  Since minor version 2, like all functions below. */
    ovl_status (*OVL_NULLABLE settings)(ovl_instance *OVL_NONNULL instance,
                                        const ovl_settings_sink *OVL_NONNULL settings,
                                        const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Runs a command of the reader app that other methods do not cover. The overlay's help lists the commands, and
     *  explains their `parameters` (list of ovl_pair), the `paths` of books, and the `answer`. OVL_NOT_SUPPORTED for an unknown
     *  command. Hosts call it in development mode only. */
    ovl_status (*OVL_NULLABLE perform)(ovl_instance *OVL_NONNULL instance, const ovl_text *OVL_NONNULL command,
                                       const ovl_list *OVL_NONNULL parameters, const ovl_texts *OVL_NONNULL paths,
                                       const ovl_bytes_sink *OVL_NONNULL answer,
                                       const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Syncs the folder of the source service and the reader app in both directions. First puts the complete plan.
     *  Then, unless it is a dry run, carries out the plan and puts one result for each row with a change; `index` is the index
     *  of the row, from 0. Rows with OVL_SYNC_KEEP or OVL_SYNC_ONLY_ON_DEVICE need no result, unless they have
     *  OVL_SYNC_ROW_FAILS; the result of OVL_SYNC_CONFLICT describes what was done. A dry run has no results. Null: the host syncs books with the other methods. Since minor
     *  version 6. */
    ovl_status (*OVL_NULLABLE sync_source)(ovl_instance *OVL_NONNULL instance,
                                           const ovl_sync_options *OVL_NONNULL options,
                                           const ovl_sync_row_sink *OVL_NONNULL plan,
                                           const ovl_result_sink *OVL_NONNULL results,
                                           const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Pushes every collection of the reader app, including empty ones. Null: the host derives the collections from
     *  the books. OVL_STOPPED if the sink stopped. Since minor version 6. */
    ovl_status (*OVL_NULLABLE collections)(ovl_instance *OVL_NONNULL instance,
                                           const ovl_collection_sink *OVL_NONNULL collections,
                                           const ovl_error_sink *OVL_NONNULL error);
} ovl_methods;

/** The result of ovl_entry_v1. Constant; never freed. */
typedef struct ovl_entry {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_ABI_MAJOR and OVL_ABI_MINOR with which the overlay was built. */
    uint32_t abi_major;
    uint32_t abi_minor;
    const ovl_descriptor *OVL_NULLABLE descriptor;
    const ovl_methods *OVL_NULLABLE methods;
    /** Creates an instance for `host` in `instance`. May call get_service, log and prefs, but no other service. */
    ovl_status (*OVL_NULLABLE create)(const ovl_host *OVL_NONNULL host,
                                      ovl_instance *OVL_NULLABLE *OVL_NONNULL instance,
                                      const ovl_error_sink *OVL_NONNULL error);
    /** {created, shut down} Ends an instance. The instance and its host are not used afterwards. */
    void (*OVL_NULLABLE destroy)(ovl_instance *OVL_NONNULL instance);
} ovl_entry;

#if defined(__cplusplus)
extern "C" {
#endif

/** [any] The only symbol of an overlay, which returns its entry record. Has no side effects and may be called any number of
 *  times. Hosts find it with dlsym; calling it directly does not link. */
OVL_EXPORT const ovl_entry *OVL_NONNULL ovl_entry_v1(void);

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
