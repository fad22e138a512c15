/* The signatures of overlay_methods.h: the entry record and methods of an overlay. */
#include "signature_tables.h"

FIELDS(ovl_option) = {
    FIELD(ovl_option, struct_size, STRUCT_SIZE),
    FIELD(ovl_option, flags, FLAGS),
    FIELD(ovl_option, key, TEXT),
    FIELD(ovl_option, type, U32),
    FIELD(ovl_option, reserved, RESERVED),
    FIELD(ovl_option, fallback, TEXT),
    SCALAR(ovl_option, minimum, F64, OVL_OPTION_HAS_RANGE),
    SCALAR(ovl_option, maximum, F64, OVL_OPTION_HAS_RANGE),
    FIELD(ovl_option, allowed, TEXTS),
    FIELD(ovl_option, label, TEXT),
    FIELD(ovl_option, help, TEXT),
};
RECORD(ovl_option, OVL_OPTION_HAS_RANGE | OVL_OPTION_SYNC_FOLDER, NULL);

FIELDS(ovl_time_limit) = {
    FIELD(ovl_time_limit, struct_size, STRUCT_SIZE),
    FIELD(ovl_time_limit, flags, FLAGS),
    FIELD(ovl_time_limit, method, TEXT),
    FIELD(ovl_time_limit, total, U64),
    FIELD(ovl_time_limit, silence, U64),
};
RECORD(ovl_time_limit, 0, NULL);

FIELDS(ovl_descriptor) = {
    FIELD(ovl_descriptor, struct_size, STRUCT_SIZE),
    FIELD(ovl_descriptor, flags, FLAGS),
    FIELD(ovl_descriptor, id, TEXT),
    FIELD(ovl_descriptor, name, TEXT),
    FIELD(ovl_descriptor, version, TEXT),
    FIELD(ovl_descriptor, summary, TEXT),
    FIELD(ovl_descriptor, app_name, TEXT),
    FIELD(ovl_descriptor, app_ids, TEXTS),
    FIELD(ovl_descriptor, formats, TEXTS),
    FIELD(ovl_descriptor, settable_metadata, TEXTS),
    FIELD(ovl_descriptor, plugboard_name, TEXT),
    FIELD(ovl_descriptor, thumbnail_height, U32),
    FIELD(ovl_descriptor, reserved, RESERVED),
    LIST_OF(ovl_descriptor, options, ovl_option),
    FIELD(ovl_descriptor, help, TEXT),
    LIST_OF(ovl_descriptor, time_limits, ovl_time_limit),
};
RECORD(ovl_descriptor, OVL_TRAIT_CAN_FETCH | OVL_TRAIT_DEVICE_DB_PLUGBOARD | OVL_TRAIT_WANTS_UPDATED_THUMBNAILS |
    OVL_TRAIT_ANY_FILE_SHARING_APP | OVL_TRAIT_FETCHES_WEB, NULL);

FIELDS(ovl_missing) = {
    FIELD(ovl_missing, struct_size, STRUCT_SIZE),
    FIELD(ovl_missing, flags, FLAGS),
    FIELD(ovl_missing, ability, TEXT),
    FIELD(ovl_missing, reason, TEXT),
    FIELD(ovl_missing, hint, TEXT),
};
RECORD(ovl_missing, OVL_HINT_MASK, NULL);

FIELDS(ovl_settings) = {
    FIELD(ovl_settings, struct_size, STRUCT_SIZE),
    FIELD(ovl_settings, flags, FLAGS),
    FIELD(ovl_settings, formats, TEXTS),
    FIELD(ovl_settings, settable_metadata, TEXTS),
    LIST_OF(ovl_settings, missing, ovl_missing),
};
RECORD(ovl_settings, 0, NULL);

ARGS(ovl_settings_sink, put) = {CTX_ARG, IN_RECORD("settings", ovl_settings)};
FUNCTION(ovl_settings_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_settings_sink) = {
    FIELD(ovl_settings_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_settings_sink, flags, FLAGS),
    FIELD(ovl_settings_sink, ctx, CONTEXT),
    CALL(ovl_settings_sink, put),
};
RECORD(ovl_settings_sink, 0, NULL);

ARGS(ovl_methods, initialize) = {INSTANCE_ARG, ERROR_ARG};
METHOD(ovl_methods, initialize, OVL_STATE_CREATED, OVL_SIG_PURE, OVL_KIND_STATUS, 30, 30);

ARGS(ovl_methods, shutdown) = {INSTANCE_ARG, ERROR_ARG};
METHOD(ovl_methods, shutdown, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_YANKED | OVL_STATE_EJECTED,
       OVL_SIG_PURE, OVL_KIND_STATUS, 10, 10);

ARGS(ovl_methods, is_usb_connected) = {
    INSTANCE_ARG, IN_LIST("devices", ovl_fingerprint), IN("presence_only", I32), OUT("index", I64), ERROR_ARG,
};
METHOD(ovl_methods, is_usb_connected, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_EJECTED,
       OVL_SIG_REPEATABLE, OVL_KIND_STATUS, 60, 30);

ARGS(ovl_methods, is_usb_connected_windows) = {
    INSTANCE_ARG, IN_LIST("devices", ovl_fingerprint), IN("presence_only", I32), OUT("index", I64), ERROR_ARG,
};
METHOD(ovl_methods, is_usb_connected_windows, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_EJECTED,
       OVL_SIG_REPEATABLE, OVL_KIND_STATUS, 60, 30);

ARGS(ovl_methods, can_handle) = {
    INSTANCE_ARG, IN_RECORD("device", ovl_fingerprint), IN_SINK("answer", ovl_presence_sink), ERROR_ARG,
};
METHOD(ovl_methods, can_handle, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED, OVL_SIG_REPEATABLE, OVL_KIND_STATUS,
       120, 30);

ARGS(ovl_methods, can_handle_windows) = {
    INSTANCE_ARG, IN_RECORD("device", ovl_fingerprint), IN_SINK("answer", ovl_presence_sink), ERROR_ARG,
};
METHOD(ovl_methods, can_handle_windows, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED, OVL_SIG_REPEATABLE, OVL_KIND_STATUS,
       120, 30);

ARGS(ovl_methods, books) = {
    INSTANCE_ARG, IN_RECORD("options", ovl_books_options), IN_SINK("books", ovl_book_sink), ERROR_ARG,
};
METHOD(ovl_methods, books, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, upload_books) = {
    INSTANCE_ARG, IN_LIST("items", ovl_upload_item), IN_RECORD("options", ovl_upload_options),
    IN_SINK("results", ovl_result_sink), ERROR_ARG,
};
METHOD(ovl_methods, upload_books, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, add_books_to_metadata) = {
    INSTANCE_ARG, IN_LIST("added", ovl_book), IN_LIST("snapshot", ovl_book), IN_SINK("edits", ovl_edit_sink), ERROR_ARG,
};
METHOD(ovl_methods, add_books_to_metadata, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_YANKED |
       OVL_STATE_EJECTED, OVL_SIG_PURE, OVL_KIND_STATUS, 60, 60);

ARGS(ovl_methods, delete_books) = {INSTANCE_ARG, IN("paths", TEXTS), IN_SINK("results", ovl_result_sink), ERROR_ARG};
METHOD(ovl_methods, delete_books, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, remove_books_from_metadata) = {
    INSTANCE_ARG, IN("paths", TEXTS), IN_LIST("snapshot", ovl_book), IN_SINK("edits", ovl_edit_sink), ERROR_ARG,
};
METHOD(ovl_methods, remove_books_from_metadata, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_YANKED |
       OVL_STATE_EJECTED, OVL_SIG_PURE, OVL_KIND_STATUS, 60, 60);

ARGS(ovl_methods, sync_booklists) = {
    INSTANCE_ARG, IN_LIST("books", ovl_book), IN_SINK("results", ovl_result_sink), ERROR_ARG,
};
METHOD(ovl_methods, sync_booklists, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, get_file) = {INSTANCE_ARG, IN("path", TEXT), IN_SINK("bytes", ovl_bytes_sink), ERROR_ARG};
METHOD(ovl_methods, get_file, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, prepare_addable_books) = {
    INSTANCE_ARG, IN("paths", TEXTS), IN_SINK("results", ovl_result_sink), ERROR_ARG,
};
METHOD(ovl_methods, prepare_addable_books, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, eject) = {INSTANCE_ARG, ERROR_ARG};
METHOD(ovl_methods, eject, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 60, 30);

ARGS(ovl_methods, post_yank_cleanup) = {INSTANCE_ARG, ERROR_ARG};
METHOD(ovl_methods, post_yank_cleanup, OVL_STATE_YANKED | OVL_STATE_EJECTED, OVL_SIG_PURE, OVL_KIND_STATUS, 1, 1);

ARGS(ovl_methods, settings) = {INSTANCE_ARG, IN_SINK("settings", ovl_settings_sink), ERROR_ARG};
METHOD(ovl_methods, settings, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 30, 30);

ARGS(ovl_methods, perform) = {
    INSTANCE_ARG, IN("command", TEXT), IN_LIST("parameters", ovl_pair), IN("paths", TEXTS),
    IN_SINK("answer", ovl_bytes_sink), ERROR_ARG,
};
METHOD(ovl_methods, perform, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, sync_source) = {
    INSTANCE_ARG, IN_RECORD("options", ovl_sync_options), IN_SINK("plan", ovl_sync_row_sink),
    IN_SINK("results", ovl_result_sink), ERROR_ARG,
};
METHOD(ovl_methods, sync_source, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

ARGS(ovl_methods, collections) = {INSTANCE_ARG, IN_SINK("collections", ovl_collection_sink), ERROR_ARG};
METHOD(ovl_methods, collections, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS, 0, 60);

FIELDS(ovl_methods) = {
    FIELD(ovl_methods, struct_size, STRUCT_SIZE),
    FIELD(ovl_methods, flags, FLAGS),
    CALL(ovl_methods, initialize),
    CALL(ovl_methods, shutdown),
    CALL(ovl_methods, is_usb_connected),
    CALL(ovl_methods, is_usb_connected_windows),
    CALL(ovl_methods, can_handle),
    CALL(ovl_methods, can_handle_windows),
    CALL(ovl_methods, books),
    CALL(ovl_methods, upload_books),
    CALL(ovl_methods, add_books_to_metadata),
    CALL(ovl_methods, delete_books),
    CALL(ovl_methods, remove_books_from_metadata),
    CALL(ovl_methods, sync_booklists),
    CALL(ovl_methods, get_file),
    CALL(ovl_methods, prepare_addable_books),
    CALL(ovl_methods, eject),
    CALL(ovl_methods, post_yank_cleanup),
    CALL(ovl_methods, settings),
    CALL(ovl_methods, perform),
    CALL(ovl_methods, sync_source),
    CALL(ovl_methods, collections),
};
RECORD(ovl_methods, 0, NULL);

ARGS(ovl_entry, create) = {IN_RECORD("host", ovl_host), OUT("instance", INSTANCE), ERROR_ARG};
METHOD(ovl_entry, create, OVL_STATE_DESCRIBED, 0, OVL_KIND_STATUS, 30, 30);

ARGS(ovl_entry, destroy) = {INSTANCE_ARG};
METHOD(ovl_entry, destroy, OVL_STATE_CREATED | OVL_STATE_SHUT_DOWN, 0, OVL_KIND_VOID, 10, 10);

FIELDS(ovl_entry) = {
    FIELD(ovl_entry, struct_size, STRUCT_SIZE),
    FIELD(ovl_entry, flags, FLAGS),
    FIELD(ovl_entry, abi_major, U32),
    FIELD(ovl_entry, abi_minor, U32),
    POINTER(ovl_entry, descriptor, ovl_descriptor),
    POINTER(ovl_entry, methods, ovl_methods),
    CALL(ovl_entry, create),
    CALL(ovl_entry, destroy),
};
RECORD(ovl_entry, 0, NULL);
