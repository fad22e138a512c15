/* The signatures of overlay_sync.h: the options and rows of a sync, and its granted folder. */
#include "signature_tables.h"

FIELDS(ovl_sync_options) = {
    FIELD(ovl_sync_options, struct_size, STRUCT_SIZE),
    FIELD(ovl_sync_options, flags, FLAGS),
    FIELD(ovl_sync_options, wanted, TEXTS),
};
RECORD(ovl_sync_options, OVL_SYNC_DRY_RUN | OVL_SYNC_DELETES | OVL_SYNC_FORCED | OVL_SYNC_LISTS_OTHERS, NULL);

FIELDS(ovl_sync_row) = {
    FIELD(ovl_sync_row, struct_size, STRUCT_SIZE),
    FIELD(ovl_sync_row, flags, FLAGS),
    FIELD(ovl_sync_row, action, U32),
    FIELD(ovl_sync_row, reserved, RESERVED),
    FIELD(ovl_sync_row, item, TEXT),
    FIELD(ovl_sync_row, path, TEXT),
    FIELD(ovl_sync_row, reason, TEXT),
    FIELD(ovl_sync_row, details, TEXT),
    FIELD(ovl_sync_row, bytes, U64),
};
RECORD(ovl_sync_row, OVL_SYNC_ROW_CHANGES_DEVICE | OVL_SYNC_ROW_CHANGES_SOURCE | OVL_SYNC_ROW_FAILS, NULL);

ARGS(ovl_sync_row_sink, put) = {CTX_ARG, IN_RECORD("row", ovl_sync_row)};
FUNCTION(ovl_sync_row_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_sync_row_sink) = {
    FIELD(ovl_sync_row_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_sync_row_sink, flags, FLAGS),
    FIELD(ovl_sync_row_sink, ctx, CONTEXT),
    CALL(ovl_sync_row_sink, put),
};
RECORD(ovl_sync_row_sink, 0, NULL);

FIELDS(ovl_source_file) = {
    FIELD(ovl_source_file, struct_size, STRUCT_SIZE),
    FIELD(ovl_source_file, flags, FLAGS),
    FIELD(ovl_source_file, name, TEXT),
    FIELD(ovl_source_file, kind, U32),
    FIELD(ovl_source_file, reserved, RESERVED),
    FIELD(ovl_source_file, size, U64),
    FIELD(ovl_source_file, modified, I64),
    FIELD(ovl_source_file, stamp, TEXT),
    FIELD(ovl_source_file, digest, TEXT),
    FIELD(ovl_source_file, device_modified, I64),
};
RECORD(ovl_source_file, 0, NULL);

ARGS(ovl_source_sink, put) = {
    CTX_ARG, IN("index", U64), IN("status", STATUS), NULLABLE_IN_RECORD("file", ovl_source_file),
    NULLABLE_IN_RECORD("error", ovl_error),
};
FUNCTION(ovl_source_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_source_sink) = {
    FIELD(ovl_source_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_source_sink, flags, FLAGS),
    FIELD(ovl_source_sink, ctx, CONTEXT),
    CALL(ovl_source_sink, put),
};
RECORD(ovl_source_sink, 0, NULL);

FIELDS(ovl_source_item) = {
    FIELD(ovl_source_item, struct_size, STRUCT_SIZE),
    FIELD(ovl_source_item, flags, FLAGS),
    FIELD(ovl_source_item, path, TEXT),
    FIELD(ovl_source_item, device_path, TEXT),
    FIELD(ovl_source_item, expected, TEXT),
};
RECORD(ovl_source_item, OVL_SOURCE_CONTINUES, NULL);

ARGS(ovl_source_service, list) = {CTX_ARG, IN("folder", TEXT), IN_SINK("files", ovl_source_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, list, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, stat) = {CTX_ARG, IN("paths", TEXTS), IN_SINK("files", ovl_source_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, stat, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, digest) = {CTX_ARG, IN("paths", TEXTS), IN_SINK("files", ovl_source_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, digest, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, read) = {
    CTX_ARG, IN("path", TEXT), NULLABLE_IN("expected", TEXT), IN("offset", U64), IN("length", U64),
    IN_SINK("bytes", ovl_bytes_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_source_service, read, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, write) = {
    CTX_ARG, IN("path", TEXT), IN("bytes", BYTES), NULLABLE_IN("expected", TEXT), IN_SINK("file", ovl_source_sink),
    NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_source_service, write, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, trash) = {CTX_ARG, IN("path", TEXT), IN("expected", TEXT), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, trash, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, send) = {
    CTX_ARG, IN("root", U32), IN_LIST("items", ovl_source_item), IN_SINK("files", ovl_source_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_source_service, send, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, fetch) = {
    CTX_ARG, IN("root", U32), IN_LIST("items", ovl_source_item), IN_SINK("files", ovl_source_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_source_service, fetch, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, state_get) = {CTX_ARG, IN("key", TEXT), IN_SINK("value", ovl_bytes_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, state_get, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, state_put) = {CTX_ARG, IN("key", TEXT), IN("value", BYTES), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, state_put, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, state_remove) = {CTX_ARG, IN("key", TEXT), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, state_remove, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

ARGS(ovl_source_service, state_keys) = {CTX_ARG, IN_SINK("keys", ovl_text_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_source_service, state_keys, OVL_THREAD_DEVICE, OVL_STATE_ATTACHED, 0, OVL_KIND_STATUS);

FIELDS(ovl_source_service) = {
    FIELD(ovl_source_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_source_service, flags, FLAGS),
    FIELD(ovl_source_service, ctx, CONTEXT),
    CALL(ovl_source_service, list),
    CALL(ovl_source_service, stat),
    CALL(ovl_source_service, digest),
    CALL(ovl_source_service, read),
    CALL(ovl_source_service, write),
    CALL(ovl_source_service, trash),
    CALL(ovl_source_service, send),
    CALL(ovl_source_service, fetch),
    CALL(ovl_source_service, state_get),
    CALL(ovl_source_service, state_put),
    CALL(ovl_source_service, state_remove),
    CALL(ovl_source_service, state_keys),
};
RECORD(ovl_source_service, 0, OVL_SERVICE_SOURCE);
