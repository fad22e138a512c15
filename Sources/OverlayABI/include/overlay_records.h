/* OverlayHost ABI, version 1: records of books, devices and files, and the sinks that receive them. */
#ifndef OVERLAYHOST_OVERLAY_RECORDS_H
#define OVERLAYHOST_OVERLAY_RECORDS_H

#include "overlay_types.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

/** An annotation in a book: a highlight, a note or a bookmark. */
typedef struct ovl_annotation {
    uint32_t struct_size;
    /** OVL_ANNOTATION_HAS_MODIFIED or 0. */
    uint32_t flags;
    /** `highlight`, `note` or `bookmark`. */
    ovl_text kind;
    /** The place in the form that the reader app uses: an EPUB CFI, a page, a chapter. */
    ovl_text location;
    /** The marked words of the book. */
    ovl_text text;
    /** The user's text. */
    ovl_text note;
    /** The colour in the form that the reader app uses. */
    ovl_text color;
    /** Seconds since 1970-01-01 00:00 UTC. */
    int64_t modified;
} ovl_annotation;

#define OVL_ANNOTATION_HAS_MODIFIED 1u

/** A book as the reader app describes it, or as the host wants it to be. Scalars are used only if their flag is set. */
typedef struct ovl_book {
    uint32_t struct_size;
    /** OVL_BOOK_HAS_… bits of the scalars that are set. */
    uint32_t flags;
    /** The path as defined by the overlay, which later calls use as the key. Unique within one booklist. */
    ovl_text path;
    /** Identifies the book, not its bytes: all editions have the same uuid. */
    ovl_text uuid;
    ovl_text title;
    ovl_text title_sort;
    ovl_texts authors;
    ovl_text author_sort;
    ovl_text series;
    double series_index;
    ovl_text publisher;
    /** `YYYY-MM-DD`, proleptic Gregorian, four-digit year at least. */
    ovl_text pubdate;
    /** Seconds since 1970-01-01 00:00 UTC. */
    int64_t date_added;
    /** HTML or plain text, as stored by the reader app. */
    ovl_text description;
    ovl_texts tags;
    /** Collections, and flags that the reader app displays as collections. */
    ovl_texts collections;
    /** 0 to 5 stars. */
    double rating;
    /** Bytes of the book's file. */
    uint64_t size;
    /** Media type of the file, such as `application/epub+zip`. */
    ovl_text format;
    /** Media type of the cover; absent when the book has none. */
    ovl_text cover_media_type;
    /** Bytes of the cover image. */
    uint64_t cover_size;
    /** The cover itself, only if the caller requested covers (OVL_BOOKS_WITH_COVERS). */
    ovl_bytes cover;
    /** 1 if the book is locked in the reader app, 0 if not. Since minor version 2, like all fields below. */
    uint32_t locked;
    uint32_t reserved;
    /** The number of words. */
    uint64_t word_count;
    /** The reading progress: 0 to 1. */
    double progress;
    /** List of ovl_annotation, only if the caller requested them (OVL_BOOKS_WITH_ANNOTATIONS). */
    ovl_list annotations;
    /** Identifies the bytes of the file, in the form of a UUID: two files have the same id only if their content is the same.
     *  Since minor version 4, like all fields below. */
    ovl_text content_id;
    /** Further values of the reader app, as the text of a JSON object. No member has the name of a field of this record, or is
     *  named `app`, `device`, `file`, `overlay`, `source` or `status`. `files` is a list of the book's files in order: objects
     *  with `path` and `state` (`on_device`, `can_be_sent` or `missing`). For users and programs; the host sends it back
     *  unchanged. Since minor version 6. */
    ovl_text extra;
} ovl_book;

#define OVL_BOOK_HAS_SERIES_INDEX 1u
#define OVL_BOOK_HAS_DATE_ADDED 2u
#define OVL_BOOK_HAS_RATING 4u
#define OVL_BOOK_HAS_SIZE 8u
#define OVL_BOOK_HAS_COVER_SIZE 16u
#define OVL_BOOK_HAS_LOCKED 32u
#define OVL_BOOK_HAS_WORD_COUNT 64u
#define OVL_BOOK_HAS_PROGRESS 128u

/** Receives books in the order of the reader app's library. */
typedef struct ovl_book_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** OVL_OK to continue, OVL_STOPPED to end the call early. */
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_book *OVL_NONNULL book);
} ovl_book_sink;

/** A collection of the reader app, with or without books. Since minor version 6. */
typedef struct ovl_collection {
    uint32_t struct_size;
    uint32_t flags;
    ovl_text name;
    /** `static`: the user chooses its books. `smart`: conditions choose them. `keyword`, `author`: all its books have that
     *  keyword or author. `url`, `script`: its books come from other sources, which only the reader app knows. An open set. */
    ovl_text kind;
    /** The paths of its books, as reported by `books`. */
    ovl_texts books;
} ovl_collection;

/** Receives collections in the order of the reader app. */
typedef struct ovl_collection_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** OVL_OK to continue, OVL_STOPPED to end the call early. */
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_collection *OVL_NONNULL collection);
} ovl_collection_sink;

/** The place of books, in calibre `oncard`. iOS devices have only the main volume. */
#define OVL_VOLUME_MAIN 0u
#define OVL_VOLUME_CARD_A 1u
#define OVL_VOLUME_CARD_B 2u

/** The options of `books`. */
typedef struct ovl_books_options {
    uint32_t struct_size;
    /** OVL_BOOKS_WITH_… bits. */
    uint32_t flags;
    /** OVL_VOLUME_… */
    uint32_t volume;
    uint32_t reserved;
    /** Paths and uuids of the wanted books; empty for all books. An overlay that can find these books without reading the
     *  others delivers only them; any other overlay delivers all books. Since minor version 5, like all fields below. */
    ovl_texts wanted;
} ovl_books_options;

/** In `ovl_books_options.flags`: include the bytes of each (small) cover. */
#define OVL_BOOKS_WITH_COVERS 1u
/** In `ovl_books_options.flags`: include the annotations. An overlay that has no way to read them delivers none. If there are
 *  some that cannot be read now, `books` fails, because the caller would take them for deleted; it can list the books again
 *  without this flag. */
#define OVL_BOOKS_WITH_ANNOTATIONS 2u
/** In `ovl_books_options.flags`, only with `wanted`: the metadata in the books' files is not needed. If only its file has the
 *  title of a book, the title may then be missing. */
#define OVL_BOOKS_UNREAD 4u

/** A file on the host that is lent to the overlay by number. Valid until the method that received it returns. */
typedef uint64_t ovl_file_id;

/** A book to upload. `book` is the last field, because it may grow. */
typedef struct ovl_upload_item {
    uint32_t struct_size;
    uint32_t flags;
    /** The file's content: for `push`, `local_info` and `local_read` of the transport service. */
    ovl_file_id file;
    /** The file's name on the host, without folders. If its extension is missing or does not match the content, the host may
     *  have corrected it. For messages and extensions, not for paths. */
    ovl_text name;
    uint64_t reserved[4];
    /** The host's metadata of the book: the metadata in the file, and values from the user or the user's library, such as
     *  `locked`, `word_count` and the cover's bytes. `uuid` and `content_id` are always set and safe in paths. Two items of one
     *  call may have the same `uuid`, but not the same `content_id`. If one side was built with minor version 3 or earlier,
     *  there is no `content_id`, and `uuid` is the same for the same content. With OVL_CONFLICT_REPLACE, `path` may be that of
     *  the book on the device to replace, under any name; without it, the overlay finds that book. */
    ovl_book book;
} ovl_upload_item;

/** The behaviour for a book that is already on the device. */
#define OVL_CONFLICT_PROTECT 0u
#define OVL_CONFLICT_UPDATE 1u
#define OVL_CONFLICT_REPLACE 2u

/** The options of an upload. */
typedef struct ovl_upload_options {
    uint32_t struct_size;
    /** OVL_UPLOAD_MAY_LOSE_MARKS or 0. */
    uint32_t flags;
    /** OVL_VOLUME_… */
    uint32_t volume;
    /** OVL_CONFLICT_… */
    uint32_t on_conflict;
    /** Add each new book to these collections. */
    ovl_texts collections;
} ovl_upload_options;

/** In `ovl_upload_options.flags`: the user has agreed to lose annotations, such as highlights, in books that are replaced.
 *  Without it, an item that would lose them fails with OVL_NEEDS_CONSENT. Since minor version 4. */
#define OVL_UPLOAD_MAY_LOSE_MARKS 1u

/** The outcome of one item. */
#define OVL_OUTCOME_FAILED 0u
#define OVL_OUTCOME_ADDED 1u
#define OVL_OUTCOME_UPDATED 2u
#define OVL_OUTCOME_REPLACED 3u
#define OVL_OUTCOME_SKIPPED 4u
#define OVL_OUTCOME_DELETED 5u
#define OVL_OUTCOME_FETCHED 6u

/** The result of one item of an upload, delete, fetch or sync. */
typedef struct ovl_item_result {
    uint32_t struct_size;
    /** OVL_ERROR_RETRYABLE and one OVL_HINT_…, or 0. */
    uint32_t flags;
    /** The index of the input item, from 0. Each index is reported exactly once. */
    uint64_t index;
    /** OVL_OK unless `outcome` is OVL_OUTCOME_FAILED. */
    ovl_status status;
    /** OVL_OUTCOME_… */
    uint32_t outcome;
    /** `path` of the book after the call, as `books` would report it. It differs from before if the call renamed the file.
     *  Absent if the book is not on the device. */
    ovl_text path;
    /** The reason why the item failed or was skipped, or a warning of the reader app: one sentence. */
    ovl_text message;
    ovl_text hint;
    /** `prepare_addable_books`: the fetched copy on the host, or 0. */
    ovl_file_id file;
    /** OVL_DOMAIN_…: the component that defines `native_code`, as in ovl_error. */
    int32_t domain;
    uint32_t reserved;
    /** The unchanged code of the lower layer, if the item failed. */
    int64_t native_code;
    /** For `push`: the modification time of the file's content on the device, as `stat` would report it; 0 if unknown. Since
     *  minor version 5, like all fields below. */
    int64_t modified;
    /** For `push`: the creation time of the file on the device, as `stat` would report it; 0 if unknown. */
    int64_t created;
} ovl_item_result;

/** Receives item rows, in any order, each index once. */
typedef struct ovl_result_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_item_result *OVL_NONNULL result);
} ovl_result_sink;

/** A change to the host's copy of the booklist. */
#define OVL_EDIT_INSERT 0u
#define OVL_EDIT_REPLACE 1u
#define OVL_EDIT_REMOVE 2u

/** An edit of a booklist. `book` is the last field, because it may grow. */
typedef struct ovl_booklist_edit {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_EDIT_… */
    uint32_t kind;
    uint32_t reserved0;
    /** The index in the snapshot that the method received: of the book to replace or remove. 0 for an insertion. */
    uint64_t index;
    uint64_t reserved[4];
    /** The new book; all absent for a removal. */
    ovl_book book;
} ovl_booklist_edit;

/** Receives edits. All indices refer to the snapshot, even after earlier edits. */
typedef struct ovl_edit_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_booklist_edit *OVL_NONNULL edit);
} ovl_edit_sink;

/** The description of a USB device. From usbmuxd, only vendor, product and serial are known; others are 0. */
typedef struct ovl_fingerprint {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t vendor_id;
    uint32_t product_id;
    uint32_t device_release;
    uint32_t reserved;
    ovl_text manufacturer;
    ovl_text product;
    /** The UDID. */
    ovl_text serial;
} ovl_fingerprint;

/** An overlay's answer to "can you handle this device now?". */
#define OVL_PRESENCE_NO 0u
#define OVL_PRESENCE_YES 1u
#define OVL_PRESENCE_NOT_NOW 2u

/** The reason why the device cannot be served, or not now. */
#define OVL_REASON_NONE 0u
#define OVL_REASON_APP_OFFLINE 1u
#define OVL_REASON_NOT_IN_CONNECTION_MODE 2u
#define OVL_REASON_APP_MISSING 3u
#define OVL_REASON_ACCESS_REFUSED 4u
#define OVL_REASON_EJECTED 5u

/** The answer of `can_handle`. */
typedef struct ovl_presence {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_PRESENCE_… */
    uint32_t answer;
    /** OVL_REASON_… */
    uint32_t reason;
    /** One sentence for the user; what to do belongs in `hint`. */
    ovl_text message;
    ovl_text hint;
    /** The version that the reader app reports, if any. */
    ovl_text app_version;
} ovl_presence;

/** Receives the single answer of `can_handle`. */
typedef struct ovl_presence_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_presence *OVL_NONNULL presence);
} ovl_presence_sink;

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
