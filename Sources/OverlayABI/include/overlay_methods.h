/* OverlayHost ABI, version 1: what an overlay provides.
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
 * The host attaches after `can_handle` answered OVL_PRESENCE_YES. Each method names the states it is called in.
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

/** One preference of the overlay. */
typedef struct ovl_option {
    uint32_t struct_size;
    /** OVL_OPTION_HAS_RANGE or 0. */
    uint32_t flags;
    /** Key in the prefs file; begins with the overlay's id and `_`, or is one of the historical keys of its app. */
    ovl_text key;
    /** OVL_OPTION_… */
    uint32_t type;
    uint32_t reserved;
    /** Default, as JSON text. */
    ovl_text fallback;
    /** Smallest and largest number, if OVL_OPTION_HAS_RANGE. */
    double minimum;
    double maximum;
    /** Texts that are allowed; absent: any. */
    ovl_texts allowed;
    /** A few words. */
    ovl_text label;
    /** One sentence. */
    ovl_text help;
} ovl_option;

/** In `ovl_option.flags`: `minimum` and `maximum` apply. */
#define OVL_OPTION_HAS_RANGE 1u

/** Books can be fetched back to the host (calibre: BACKLOADING_ERROR_MESSAGE is None). */
#define OVL_TRAIT_CAN_FETCH 1u
/** calibre: CAN_DO_DEVICE_DB_PLUGBOARD. */
#define OVL_TRAIT_DEVICE_DB_PLUGBOARD 2u
/** calibre: WANTS_UPDATED_THUMBNAILS. */
#define OVL_TRAIT_WANTS_UPDATED_THUMBNAILS 4u
/** Serves every installed app that shares its Documents folder (UIFileSharingEnabled) and that no other overlay names.
 *  `app_ids` may be empty then. Of several such overlays the first one is used. Since minor version 2. */
#define OVL_TRAIT_ANY_FILE_SHARING_APP 8u
/** Reads files behind URLs (OVL_SOURCE_URL). A host allows this only to overlays with this trait, and only if the person has
 *  allowed it; otherwise it is OVL_ACCESS_REFUSED. Since minor version 4. */
#define OVL_TRAIT_FETCHES_WEB 16u

/** How long one of the overlay's functions may take, instead of the default in docs/abi.md. Since minor version 3. */
typedef struct ovl_time_limit {
    uint32_t struct_size;
    uint32_t flags;
    /** The name of a function of `ovl_methods` or `ovl_entry`, such as `books`. */
    ovl_text method;
    /** Nanoseconds from its call to its return; OVL_UNKNOWN: no limit; 0: the default. */
    uint64_t total;
    /** Nanoseconds that it may run without calling the host, at most ten minutes; 0: the default. */
    uint64_t silence;
} ovl_time_limit;

/** What an overlay is, readable without creating an instance. Constant; valid for ever. */
typedef struct ovl_descriptor {
    uint32_t struct_size;
    /** OVL_TRAIT_… bits. */
    uint32_t flags;
    /** `[a-z0-9][a-z0-9_-]*`, at most 64 bytes. Unique among the overlays of a host. */
    ovl_text id;
    /** Name of the overlay, for people. */
    ovl_text name;
    /** Semantic version of the overlay. */
    ovl_text version;
    /** One sentence. */
    ovl_text summary;
    /** The reader app's name in the prefs (`preferred_reader_app`). */
    ovl_text app_name;
    /** Bundle ids the overlay serves, the preferred one first. */
    ovl_texts app_ids;
    /** calibre: FORMATS. File name extensions in lower case, without a dot, the preferred one first. */
    ovl_texts formats;
    /** calibre: CAN_SET_METADATA. What `sync_booklists` can change: any of `title`, `title_sort`, `authors`, `author_sort`,
     *  `series`, `series_index`, `publisher`, `pubdate`, `description`, `tags`, `collections`, `rating`, `cover`, `locked`,
     *  `word_count`. */
    ovl_texts settable_metadata;
    /** calibre: DEVICE_PLUGBOARD_NAME. */
    ovl_text plugboard_name;
    /** calibre: THUMBNAIL_HEIGHT, pixels. */
    uint32_t thumbnail_height;
    uint32_t reserved;
    /** List of ovl_option. */
    ovl_list options;
    /** Markdown for people. */
    ovl_text help;
    /** List of ovl_time_limit, each function at most once. Since minor version 3, as all that follows. */
    ovl_list time_limits;
} ovl_descriptor;

/** Something that this device and app do not allow. */
typedef struct ovl_missing {
    uint32_t struct_size;
    uint32_t flags;
    /** `books`, `upload`, `delete`, `update`, `collections`, `get` or `covers`. */
    ovl_text ability;
    /** Why, one sentence. */
    ovl_text reason;
    /** What helps. Absent if nothing does. */
    ovl_text hint;
} ovl_missing;

/** What applies to this device and app, instead of what the descriptor says. Since minor version 2. */
typedef struct ovl_settings {
    uint32_t struct_size;
    uint32_t flags;
    /** As in `ovl_descriptor`. Empty: any format. Absent: as in the descriptor. */
    ovl_texts formats;
    /** As in `ovl_descriptor`. Empty: nothing can be changed. Absent: as in the descriptor. */
    ovl_texts settable_metadata;
    /** List of ovl_missing: the abilities that this device and app do not allow, each at most once. */
    ovl_list missing;
} ovl_settings;

/** Receives the one record of `settings`. */
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
     *  its index into `index`, or -1. `presence_only` 1: the device is known; only report whether it is still connected. Called
     *  often, so it must be cheap and idempotent. Null: the host matches by the installed app alone. */
    ovl_status (*OVL_NULLABLE is_usb_connected)(ovl_instance *OVL_NONNULL instance,
                                                const ovl_list *OVL_NONNULL devices, int32_t presence_only,
                                                int64_t *OVL_NONNULL index, const ovl_error_sink *OVL_NONNULL error);

    /** As is_usb_connected, on Windows. Null elsewhere. */
    ovl_status (*OVL_NULLABLE is_usb_connected_windows)(ovl_instance *OVL_NONNULL instance,
                                                        const ovl_list *OVL_NONNULL devices, int32_t presence_only,
                                                        int64_t *OVL_NONNULL index,
                                                        const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached} Tells whether this device can be served now. Puts exactly one answer. The transport service
     *  already reaches the device, so the reader app's state may be looked at. Called often while waiting for a reader app. */
    ovl_status (*OVL_NULLABLE can_handle)(ovl_instance *OVL_NONNULL instance, const ovl_fingerprint *OVL_NONNULL device,
                                          const ovl_presence_sink *OVL_NONNULL answer,
                                          const ovl_error_sink *OVL_NONNULL error);

    /** As can_handle, on Windows. Null elsewhere. */
    ovl_status (*OVL_NULLABLE can_handle_windows)(ovl_instance *OVL_NONNULL instance,
                                                  const ovl_fingerprint *OVL_NONNULL device,
                                                  const ovl_presence_sink *OVL_NONNULL answer,
                                                  const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Pushes every book of the reader app. A card volume has none. OVL_STOPPED if the sink stopped. */
    ovl_status (*OVL_NULLABLE books)(ovl_instance *OVL_NONNULL instance, const ovl_books_options *OVL_NONNULL options,
                                     const ovl_book_sink *OVL_NONNULL books, const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Adds books; `items` is a list of ovl_upload_item. One row per item, whether it succeeds or fails, also when
     *  the method as a whole fails or is cancelled. Nothing is deleted before its replacement is there and verified. */
    ovl_status (*OVL_NULLABLE upload_books)(ovl_instance *OVL_NONNULL instance, const ovl_list *OVL_NONNULL items,
                                            const ovl_upload_options *OVL_NONNULL options,
                                            const ovl_result_sink *OVL_NONNULL results,
                                            const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached, yanked, ejected} Pure. The edits that bring `snapshot` (list of ovl_book) up to date after an
     *  upload. `added`: list of ovl_book with the `path` each upload reported. */
    ovl_status (*OVL_NULLABLE add_books_to_metadata)(ovl_instance *OVL_NONNULL instance,
                                                     const ovl_list *OVL_NONNULL added,
                                                     const ovl_list *OVL_NONNULL snapshot,
                                                     const ovl_edit_sink *OVL_NONNULL edits,
                                                     const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Deletes the books with these paths. One row per path. Without paths nothing is deleted, but an overlay that
     *  leaves files on the device while it works cleans up after an interrupted call, as it does before every deletion. */
    ovl_status (*OVL_NULLABLE delete_books)(ovl_instance *OVL_NONNULL instance, const ovl_texts *OVL_NONNULL paths,
                                            const ovl_result_sink *OVL_NONNULL results,
                                            const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached, yanked, ejected} Pure. The edits that bring `snapshot` (list of ovl_book) up to date after a
     *  deletion of `paths`. A path that is not in the snapshot is not an error. */
    ovl_status (*OVL_NULLABLE remove_books_from_metadata)(ovl_instance *OVL_NONNULL instance,
                                                          const ovl_texts *OVL_NONNULL paths,
                                                          const ovl_list *OVL_NONNULL snapshot,
                                                          const ovl_edit_sink *OVL_NONNULL edits,
                                                          const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Writes the edited booklist (list of ovl_book, found by `path`) to the reader app: the books as they should
     *  be. The overlay compares each with what the app has; one row per book that differs, with its `path` afterwards.
     *
     *  A field that is absent is left alone, but `collections` is always the full list (empty: in none). A field that
     *  `settable_metadata` does not name is ignored. `cover` with bytes sets this cover. Books that are not in the list are
     *  left alone. */
    ovl_status (*OVL_NULLABLE sync_booklists)(ovl_instance *OVL_NONNULL instance, const ovl_list *OVL_NONNULL books,
                                              const ovl_result_sink *OVL_NONNULL results,
                                              const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Pushes the bytes of one book. */
    ovl_status (*OVL_NULLABLE get_file)(ovl_instance *OVL_NONNULL instance, const ovl_text *OVL_NONNULL path,
                                        const ovl_bytes_sink *OVL_NONNULL bytes,
                                        const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Fetches books so that the host can keep them: one row per path, with the `file` that `pull` gave. */
    ovl_status (*OVL_NULLABLE prepare_addable_books)(ovl_instance *OVL_NONNULL instance,
                                                     const ovl_texts *OVL_NONNULL paths,
                                                     const ovl_result_sink *OVL_NONNULL results,
                                                     const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Ejects: ends the connection at the user's request. Success leads to the state ejected. */
    ovl_status (*OVL_NULLABLE eject)(ovl_instance *OVL_NONNULL instance, const ovl_error_sink *OVL_NONNULL error);

    /** {yanked, ejected} Pure. Forgets the device. Has one second and must not fail; leads to the state initialized. */
    ovl_status (*OVL_NULLABLE post_yank_cleanup)(ovl_instance *OVL_NONNULL instance,
                                                 const ovl_error_sink *OVL_NONNULL error);

    /** {initialized, attached} Puts one record that says what this device and app allow. It may use the preferences and the
     *  transport's functions `device` and `roots`, which ask the device nothing. Null: the descriptor applies. Since
     *  minor version 2, as all that follows. */
    ovl_status (*OVL_NULLABLE settings)(ovl_instance *OVL_NONNULL instance,
                                        const ovl_settings_sink *OVL_NONNULL settings,
                                        const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Performs a command of the reader app that no other method covers. The overlay's help lists the commands, and
     *  says what their `parameters` (list of ovl_pair) and the `paths` of books mean and what `answer` receives.
     *  OVL_NOT_SUPPORTED for a command it does not know. Hosts call it in development mode only. */
    ovl_status (*OVL_NULLABLE perform)(ovl_instance *OVL_NONNULL instance, const ovl_text *OVL_NONNULL command,
                                       const ovl_list *OVL_NONNULL parameters, const ovl_texts *OVL_NONNULL paths,
                                       const ovl_bytes_sink *OVL_NONNULL answer,
                                       const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Brings the folder of the source service and the reader app together. First puts the whole plan. Then, unless
     *  it is a dry run, carries it out and puts one result for each row that does something; `index` is the place of the row,
     *  from 0. Rows with OVL_SYNC_KEEP or OVL_SYNC_ONLY_ON_DEVICE need no result; the result of OVL_SYNC_CONFLICT says what was
     *  done. A dry run has no results. Null: the host syncs books by the other methods. Since minor version 6. */
    ovl_status (*OVL_NULLABLE sync_source)(ovl_instance *OVL_NONNULL instance,
                                           const ovl_sync_options *OVL_NONNULL options,
                                           const ovl_sync_row_sink *OVL_NONNULL plan,
                                           const ovl_result_sink *OVL_NONNULL results,
                                           const ovl_error_sink *OVL_NONNULL error);

    /** {attached} Pushes every collection of the reader app, empty ones as well. Null: the host takes the collections from the
     *  books. OVL_STOPPED if the sink stopped. Since minor version 6. */
    ovl_status (*OVL_NULLABLE collections)(ovl_instance *OVL_NONNULL instance,
                                           const ovl_collection_sink *OVL_NONNULL collections,
                                           const ovl_error_sink *OVL_NONNULL error);
} ovl_methods;

/** What ovl_entry_v1 returns. Constant; valid for ever. */
typedef struct ovl_entry {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_ABI_MAJOR and OVL_ABI_MINOR the overlay was built with. */
    uint32_t abi_major;
    uint32_t abi_minor;
    const ovl_descriptor *OVL_NULLABLE descriptor;
    const ovl_methods *OVL_NULLABLE methods;
    /** Makes an instance for `host` into `instance`. May call get_service, log and prefs, no other service. */
    ovl_status (*OVL_NULLABLE create)(const ovl_host *OVL_NONNULL host,
                                      ovl_instance *OVL_NULLABLE *OVL_NONNULL instance,
                                      const ovl_error_sink *OVL_NONNULL error);
    /** {created, shut down} Ends an instance. Neither it nor its host is used afterwards. */
    void (*OVL_NULLABLE destroy)(ovl_instance *OVL_NONNULL instance);
} ovl_entry;

#if defined(__cplusplus)
extern "C" {
#endif

/** [any] The one symbol of an overlay: its entry record. No work, no side effects, callable any number of times. Hosts find
 *  it with dlsym; calling it directly does not link. */
OVL_EXPORT const ovl_entry *OVL_NONNULL ovl_entry_v1(void);

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
