/* The signatures of overlay_records.h: books, devices and their sinks. */
#include "signature_tables.h"

FIELDS(ovl_annotation) = {
    FIELD(ovl_annotation, struct_size, STRUCT_SIZE),
    FIELD(ovl_annotation, flags, FLAGS),
    FIELD(ovl_annotation, kind, TEXT),
    FIELD(ovl_annotation, location, TEXT),
    FIELD(ovl_annotation, text, TEXT),
    FIELD(ovl_annotation, note, TEXT),
    FIELD(ovl_annotation, color, TEXT),
    SCALAR(ovl_annotation, modified, I64, OVL_ANNOTATION_HAS_MODIFIED),
};
RECORD(ovl_annotation, OVL_ANNOTATION_HAS_MODIFIED, NULL);

FIELDS(ovl_book) = {
    FIELD(ovl_book, struct_size, STRUCT_SIZE),
    FIELD(ovl_book, flags, FLAGS),
    FIELD(ovl_book, path, TEXT),
    FIELD(ovl_book, uuid, TEXT),
    FIELD(ovl_book, title, TEXT),
    FIELD(ovl_book, title_sort, TEXT),
    FIELD(ovl_book, authors, TEXTS),
    FIELD(ovl_book, author_sort, TEXT),
    FIELD(ovl_book, series, TEXT),
    SCALAR(ovl_book, series_index, F64, OVL_BOOK_HAS_SERIES_INDEX),
    FIELD(ovl_book, publisher, TEXT),
    FIELD(ovl_book, pubdate, TEXT),
    SCALAR(ovl_book, date_added, I64, OVL_BOOK_HAS_DATE_ADDED),
    FIELD(ovl_book, description, TEXT),
    FIELD(ovl_book, tags, TEXTS),
    FIELD(ovl_book, collections, TEXTS),
    SCALAR(ovl_book, rating, F64, OVL_BOOK_HAS_RATING),
    SCALAR(ovl_book, size, U64, OVL_BOOK_HAS_SIZE),
    FIELD(ovl_book, format, TEXT),
    FIELD(ovl_book, cover_media_type, TEXT),
    SCALAR(ovl_book, cover_size, U64, OVL_BOOK_HAS_COVER_SIZE),
    FIELD(ovl_book, cover, BYTES),
    SCALAR(ovl_book, locked, U32, OVL_BOOK_HAS_LOCKED),
    FIELD(ovl_book, reserved, RESERVED),
    SCALAR(ovl_book, word_count, U64, OVL_BOOK_HAS_WORD_COUNT),
    SCALAR(ovl_book, progress, F64, OVL_BOOK_HAS_PROGRESS),
    LIST_OF(ovl_book, annotations, ovl_annotation),
    FIELD(ovl_book, content_id, TEXT),
    FIELD(ovl_book, extra, TEXT),
};
RECORD(ovl_book, OVL_BOOK_HAS_SERIES_INDEX | OVL_BOOK_HAS_DATE_ADDED | OVL_BOOK_HAS_RATING | OVL_BOOK_HAS_SIZE |
    OVL_BOOK_HAS_COVER_SIZE | OVL_BOOK_HAS_LOCKED | OVL_BOOK_HAS_WORD_COUNT | OVL_BOOK_HAS_PROGRESS, NULL);

ARGS(ovl_book_sink, put) = {CTX_ARG, IN_RECORD("book", ovl_book)};
FUNCTION(ovl_book_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_book_sink) = {
    FIELD(ovl_book_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_book_sink, flags, FLAGS),
    FIELD(ovl_book_sink, ctx, CONTEXT),
    CALL(ovl_book_sink, put),
};
RECORD(ovl_book_sink, 0, NULL);

FIELDS(ovl_collection) = {
    FIELD(ovl_collection, struct_size, STRUCT_SIZE),
    FIELD(ovl_collection, flags, FLAGS),
    FIELD(ovl_collection, name, TEXT),
    FIELD(ovl_collection, kind, TEXT),
    FIELD(ovl_collection, books, TEXTS),
};
RECORD(ovl_collection, 0, NULL);

ARGS(ovl_collection_sink, put) = {CTX_ARG, IN_RECORD("collection", ovl_collection)};
FUNCTION(ovl_collection_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_collection_sink) = {
    FIELD(ovl_collection_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_collection_sink, flags, FLAGS),
    FIELD(ovl_collection_sink, ctx, CONTEXT),
    CALL(ovl_collection_sink, put),
};
RECORD(ovl_collection_sink, 0, NULL);

FIELDS(ovl_books_options) = {
    FIELD(ovl_books_options, struct_size, STRUCT_SIZE),
    FIELD(ovl_books_options, flags, FLAGS),
    FIELD(ovl_books_options, volume, U32),
    FIELD(ovl_books_options, reserved, RESERVED),
    FIELD(ovl_books_options, wanted, TEXTS),
};
RECORD(ovl_books_options, OVL_BOOKS_WITH_COVERS | OVL_BOOKS_WITH_ANNOTATIONS | OVL_BOOKS_UNREAD, NULL);

FIELDS(ovl_upload_item) = {
    FIELD(ovl_upload_item, struct_size, STRUCT_SIZE),
    FIELD(ovl_upload_item, flags, FLAGS),
    FIELD(ovl_upload_item, file, FILE_ID),
    FIELD(ovl_upload_item, name, TEXT),
    FIELD(ovl_upload_item, reserved, RESERVED),
    NESTED(ovl_upload_item, book, ovl_book),
};
RECORD(ovl_upload_item, 0, NULL);

FIELDS(ovl_upload_options) = {
    FIELD(ovl_upload_options, struct_size, STRUCT_SIZE),
    FIELD(ovl_upload_options, flags, FLAGS),
    FIELD(ovl_upload_options, volume, U32),
    FIELD(ovl_upload_options, on_conflict, U32),
    FIELD(ovl_upload_options, collections, TEXTS),
};
RECORD(ovl_upload_options, OVL_UPLOAD_MAY_LOSE_MARKS, NULL);

FIELDS(ovl_item_result) = {
    FIELD(ovl_item_result, struct_size, STRUCT_SIZE),
    FIELD(ovl_item_result, flags, FLAGS),
    FIELD(ovl_item_result, index, U64),
    FIELD(ovl_item_result, status, STATUS),
    FIELD(ovl_item_result, outcome, U32),
    FIELD(ovl_item_result, path, TEXT),
    FIELD(ovl_item_result, message, TEXT),
    FIELD(ovl_item_result, hint, TEXT),
    FIELD(ovl_item_result, file, FILE_ID),
    FIELD(ovl_item_result, domain, I32),
    FIELD(ovl_item_result, reserved, RESERVED),
    FIELD(ovl_item_result, native_code, I64),
    FIELD(ovl_item_result, modified, I64),
    FIELD(ovl_item_result, created, I64),
};
RECORD(ovl_item_result, OVL_ERROR_RETRYABLE | OVL_HINT_MASK, NULL);

ARGS(ovl_result_sink, put) = {CTX_ARG, IN_RECORD("result", ovl_item_result)};
FUNCTION(ovl_result_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_result_sink) = {
    FIELD(ovl_result_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_result_sink, flags, FLAGS),
    FIELD(ovl_result_sink, ctx, CONTEXT),
    CALL(ovl_result_sink, put),
};
RECORD(ovl_result_sink, 0, NULL);

FIELDS(ovl_booklist_edit) = {
    FIELD(ovl_booklist_edit, struct_size, STRUCT_SIZE),
    FIELD(ovl_booklist_edit, flags, FLAGS),
    FIELD(ovl_booklist_edit, kind, U32),
    FIELD(ovl_booklist_edit, reserved0, RESERVED),
    FIELD(ovl_booklist_edit, index, U64),
    FIELD(ovl_booklist_edit, reserved, RESERVED),
    NESTED(ovl_booklist_edit, book, ovl_book),
};
RECORD(ovl_booklist_edit, 0, NULL);

ARGS(ovl_edit_sink, put) = {CTX_ARG, IN_RECORD("edit", ovl_booklist_edit)};
FUNCTION(ovl_edit_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_edit_sink) = {
    FIELD(ovl_edit_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_edit_sink, flags, FLAGS),
    FIELD(ovl_edit_sink, ctx, CONTEXT),
    CALL(ovl_edit_sink, put),
};
RECORD(ovl_edit_sink, 0, NULL);

FIELDS(ovl_fingerprint) = {
    FIELD(ovl_fingerprint, struct_size, STRUCT_SIZE),
    FIELD(ovl_fingerprint, flags, FLAGS),
    FIELD(ovl_fingerprint, vendor_id, U32),
    FIELD(ovl_fingerprint, product_id, U32),
    FIELD(ovl_fingerprint, device_release, U32),
    FIELD(ovl_fingerprint, reserved, RESERVED),
    FIELD(ovl_fingerprint, manufacturer, TEXT),
    FIELD(ovl_fingerprint, product, TEXT),
    FIELD(ovl_fingerprint, serial, TEXT),
};
RECORD(ovl_fingerprint, 0, NULL);

FIELDS(ovl_presence) = {
    FIELD(ovl_presence, struct_size, STRUCT_SIZE),
    FIELD(ovl_presence, flags, FLAGS),
    FIELD(ovl_presence, answer, U32),
    FIELD(ovl_presence, reason, U32),
    FIELD(ovl_presence, message, TEXT),
    FIELD(ovl_presence, hint, TEXT),
    FIELD(ovl_presence, app_version, TEXT),
};
RECORD(ovl_presence, 0, NULL);

ARGS(ovl_presence_sink, put) = {CTX_ARG, IN_RECORD("presence", ovl_presence)};
FUNCTION(ovl_presence_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_presence_sink) = {
    FIELD(ovl_presence_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_presence_sink, flags, FLAGS),
    FIELD(ovl_presence_sink, ctx, CONTEXT),
    CALL(ovl_presence_sink, put),
};
RECORD(ovl_presence_sink, 0, NULL);
