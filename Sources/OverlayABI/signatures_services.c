/* The signatures of overlay_services.h: the services. */
#include "signature_tables.h"

FIELDS(ovl_pair) = {
    FIELD(ovl_pair, struct_size, STRUCT_SIZE),
    FIELD(ovl_pair, flags, FLAGS),
    FIELD(ovl_pair, key, TEXT),
    FIELD(ovl_pair, value, TEXT),
};
RECORD(ovl_pair, 0, NULL);

ARGS(ovl_log_service, enabled) = {CTX_ARG, IN("severity", U32)};
FUNCTION(ovl_log_service, enabled, OVL_THREAD_ANY, EVER, 0, OVL_KIND_I32);

ARGS(ovl_log_service, write) = {
    CTX_ARG, IN("severity", U32), IN("category", TEXT), IN("message", TEXT), NULLABLE_IN_LIST("pairs", ovl_pair),
};
FUNCTION(ovl_log_service, write, OVL_THREAD_ANY, EVER, 0, OVL_KIND_VOID);

FIELDS(ovl_log_service) = {
    FIELD(ovl_log_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_log_service, flags, FLAGS),
    FIELD(ovl_log_service, ctx, CONTEXT),
    CALL(ovl_log_service, enabled),
    CALL(ovl_log_service, write),
};
RECORD(ovl_log_service, 0, OVL_SERVICE_LOG);

ARGS(ovl_prefs_service, get_bool) = {
    CTX_ARG, IN("key", TEXT), IN("fallback", I32), OUT("value", I32), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_prefs_service, get_bool, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

ARGS(ovl_prefs_service, get_integer) = {
    CTX_ARG, IN("key", TEXT), IN("fallback", I64), OUT("value", I64), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_prefs_service, get_integer, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

ARGS(ovl_prefs_service, get_number) = {
    CTX_ARG, IN("key", TEXT), IN("fallback", F64), OUT("value", F64), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_prefs_service, get_number, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

ARGS(ovl_prefs_service, get_texts) = {CTX_ARG, IN("key", TEXT), IN_SINK("values", ovl_text_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_prefs_service, get_texts, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

ARGS(ovl_prefs_service, get_json) = {CTX_ARG, IN("key", TEXT), IN_SINK("value", ovl_text_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_prefs_service, get_json, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

ARGS(ovl_prefs_service, request_set) = {CTX_ARG, IN("key", TEXT), IN("json", TEXT), NULLABLE_ERROR_ARG};
FUNCTION(ovl_prefs_service, request_set, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

FIELDS(ovl_prefs_service) = {
    FIELD(ovl_prefs_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_prefs_service, flags, FLAGS),
    FIELD(ovl_prefs_service, ctx, CONTEXT),
    CALL(ovl_prefs_service, get_bool),
    CALL(ovl_prefs_service, get_integer),
    CALL(ovl_prefs_service, get_number),
    CALL(ovl_prefs_service, get_texts),
    CALL(ovl_prefs_service, get_json),
    CALL(ovl_prefs_service, request_set),
};
RECORD(ovl_prefs_service, 0, OVL_SERVICE_PREFS);

ARGS(ovl_progress_service, report) = {CTX_ARG, IN("completed", U64), IN("total", U64), NULLABLE_IN("phase", TEXT)};
FUNCTION(ovl_progress_service, report, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_VOID);

FIELDS(ovl_progress_service) = {
    FIELD(ovl_progress_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_progress_service, flags, FLAGS),
    FIELD(ovl_progress_service, ctx, CONTEXT),
    CALL(ovl_progress_service, report),
};
RECORD(ovl_progress_service, 0, OVL_SERVICE_PROGRESS);

ARGS(ovl_cancel_service, is_cancelled) = {CTX_ARG};
FUNCTION(ovl_cancel_service, is_cancelled, OVL_THREAD_ANY, FROM_CREATED, 0, OVL_KIND_I32);

ARGS(ovl_cancel_service, time_left) = {CTX_ARG};
FUNCTION(ovl_cancel_service, time_left, OVL_THREAD_ANY, FROM_CREATED, 0, OVL_KIND_U64);

ARGS(ovl_cancel_service, wait) = {CTX_ARG, IN("nanoseconds", U64), NULLABLE_ERROR_ARG};
FUNCTION(ovl_cancel_service, wait, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

FIELDS(ovl_cancel_service) = {
    FIELD(ovl_cancel_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_cancel_service, flags, FLAGS),
    FIELD(ovl_cancel_service, ctx, CONTEXT),
    CALL(ovl_cancel_service, is_cancelled),
    CALL(ovl_cancel_service, time_left),
    CALL(ovl_cancel_service, wait),
};
RECORD(ovl_cancel_service, 0, OVL_SERVICE_CANCEL);

FIELDS(ovl_device) = {
    FIELD(ovl_device, struct_size, STRUCT_SIZE),
    FIELD(ovl_device, flags, FLAGS),
    FIELD(ovl_device, udid, TEXT),
    FIELD(ovl_device, name, TEXT),
    FIELD(ovl_device, model, TEXT),
    FIELD(ovl_device, ios_version, TEXT),
    FIELD(ovl_device, app_id, TEXT),
    FIELD(ovl_device, app_name, TEXT),
    FIELD(ovl_device, app_version, TEXT),
    FIELD(ovl_device, app_formats, TEXTS),
    FIELD(ovl_device, app_file_sharing, U32),
    FIELD(ovl_device, reserved, RESERVED),
};
RECORD(ovl_device, 0, NULL);

ARGS(ovl_device_sink, put) = {CTX_ARG, IN_RECORD("device", ovl_device)};
FUNCTION(ovl_device_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_device_sink) = {
    FIELD(ovl_device_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_device_sink, flags, FLAGS),
    FIELD(ovl_device_sink, ctx, CONTEXT),
    CALL(ovl_device_sink, put),
};
RECORD(ovl_device_sink, 0, NULL);

FIELDS(ovl_root) = {
    FIELD(ovl_root, struct_size, STRUCT_SIZE),
    FIELD(ovl_root, flags, FLAGS),
    FIELD(ovl_root, root, U32),
    FIELD(ovl_root, granted, U32),
    FIELD(ovl_root, reason, TEXT),
    FIELD(ovl_root, hint, TEXT),
};
RECORD(ovl_root, 0, NULL);

ARGS(ovl_root_sink, put) = {CTX_ARG, IN_RECORD("root", ovl_root)};
FUNCTION(ovl_root_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_root_sink) = {
    FIELD(ovl_root_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_root_sink, flags, FLAGS),
    FIELD(ovl_root_sink, ctx, CONTEXT),
    CALL(ovl_root_sink, put),
};
RECORD(ovl_root_sink, 0, NULL);

FIELDS(ovl_file_info) = {
    FIELD(ovl_file_info, struct_size, STRUCT_SIZE),
    FIELD(ovl_file_info, flags, FLAGS),
    FIELD(ovl_file_info, name, TEXT),
    FIELD(ovl_file_info, kind, U32),
    FIELD(ovl_file_info, reserved, RESERVED),
    FIELD(ovl_file_info, size, U64),
    FIELD(ovl_file_info, modified, I64),
    FIELD(ovl_file_info, created, I64),
};
RECORD(ovl_file_info, 0, NULL);

ARGS(ovl_file_sink, put) = {
    CTX_ARG, IN("index", U64), IN("status", STATUS), NULLABLE_IN_RECORD("info", ovl_file_info),
    NULLABLE_IN_RECORD("error", ovl_error),
};
FUNCTION(ovl_file_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_file_sink) = {
    FIELD(ovl_file_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_file_sink, flags, FLAGS),
    FIELD(ovl_file_sink, ctx, CONTEXT),
    CALL(ovl_file_sink, put),
};
RECORD(ovl_file_sink, 0, NULL);

FIELDS(ovl_read_request) = {
    FIELD(ovl_read_request, struct_size, STRUCT_SIZE),
    FIELD(ovl_read_request, flags, FLAGS),
    FIELD(ovl_read_request, path, TEXT),
    FIELD(ovl_read_request, offset, U64),
    FIELD(ovl_read_request, length, U64),
};
RECORD(ovl_read_request, OVL_READ_ONCE | OVL_READ_BEFORE_METADATA, NULL);

ARGS(ovl_read_sink, put) = {
    CTX_ARG, IN("index", U64), IN("status", STATUS), NULLABLE_IN("bytes", BYTES),
    NULLABLE_IN_RECORD("error", ovl_error),
};
FUNCTION(ovl_read_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_read_sink) = {
    FIELD(ovl_read_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_read_sink, flags, FLAGS),
    FIELD(ovl_read_sink, ctx, CONTEXT),
    CALL(ovl_read_sink, put),
};
RECORD(ovl_read_sink, 0, NULL);

FIELDS(ovl_push_item) = {
    FIELD(ovl_push_item, struct_size, STRUCT_SIZE),
    FIELD(ovl_push_item, flags, FLAGS),
    FIELD(ovl_push_item, file, FILE_ID),
    FIELD(ovl_push_item, path, TEXT),
};
RECORD(ovl_push_item, 0, NULL);

ARGS(ovl_transport_service, device) = {CTX_ARG, IN_SINK("device", ovl_device_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_transport_service, device, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, roots) = {CTX_ARG, IN_SINK("roots", ovl_root_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_transport_service, roots, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, list) = {
    CTX_ARG, IN("root", U32), IN("path", TEXT), IN("options", U32), IN_SINK("files", ovl_file_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, list, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, stat) = {
    CTX_ARG, IN("root", U32), IN("paths", TEXTS), IN_SINK("files", ovl_file_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, stat, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, read) = {
    CTX_ARG, IN("root", U32), IN("path", TEXT), IN("offset", U64), IN("length", U64),
    IN_SINK("bytes", ovl_bytes_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, read, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, read_many) = {
    CTX_ARG, IN("root", U32), IN_LIST("requests", ovl_read_request), IN_SINK("results", ovl_read_sink),
    NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, read_many, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, write) = {
    CTX_ARG, IN("root", U32), IN("path", TEXT), IN("bytes", BYTES), IN("options", U32), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, write, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, push) = {
    CTX_ARG, IN("root", U32), IN_LIST("items", ovl_push_item), IN("options", U32),
    IN_SINK("results", ovl_result_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, push, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, pull) = {
    CTX_ARG, IN("root", U32), IN("paths", TEXTS), IN_SINK("results", ovl_result_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, pull, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, rename) = {CTX_ARG, IN("root", U32), IN("from", TEXT), IN("to", TEXT), NULLABLE_ERROR_ARG};
FUNCTION(ovl_transport_service, rename, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, remove) = {
    CTX_ARG, IN("root", U32), IN("path", TEXT), IN("options", U32), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, remove, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, make_folder) = {CTX_ARG, IN("root", U32), IN("path", TEXT), NULLABLE_ERROR_ARG};
FUNCTION(ovl_transport_service, make_folder, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, free_space) = {
    CTX_ARG, OUT("free_bytes", U64), OUT("total_bytes", U64), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, free_space, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, local_info) = {
    CTX_ARG, IN("file", FILE_ID), IN_SINK("info", ovl_file_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, local_info, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

ARGS(ovl_transport_service, local_read) = {
    CTX_ARG, IN("file", FILE_ID), IN("offset", U64), IN("length", U64), IN_SINK("bytes", ovl_bytes_sink),
    NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_transport_service, local_read, OVL_THREAD_DEVICE, OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED,
         OVL_SIG_TOUCHES_DEVICE, OVL_KIND_STATUS);

FIELDS(ovl_transport_service) = {
    FIELD(ovl_transport_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_transport_service, flags, FLAGS),
    FIELD(ovl_transport_service, ctx, CONTEXT),
    CALL(ovl_transport_service, device),
    CALL(ovl_transport_service, roots),
    CALL(ovl_transport_service, list),
    CALL(ovl_transport_service, stat),
    CALL(ovl_transport_service, read),
    CALL(ovl_transport_service, read_many),
    CALL(ovl_transport_service, write),
    CALL(ovl_transport_service, push),
    CALL(ovl_transport_service, pull),
    CALL(ovl_transport_service, rename),
    CALL(ovl_transport_service, remove),
    CALL(ovl_transport_service, make_folder),
    CALL(ovl_transport_service, free_space),
    CALL(ovl_transport_service, local_info),
    CALL(ovl_transport_service, local_read),
};
RECORD(ovl_transport_service, 0, OVL_SERVICE_TRANSPORT);

ARGS(ovl_storage_service, get) = {
    CTX_ARG, IN("area", U32), IN("key", TEXT), IN_SINK("value", ovl_bytes_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_storage_service, get, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_storage_service, put) = {
    CTX_ARG, IN("area", U32), IN("key", TEXT), IN("value", BYTES), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_storage_service, put, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_storage_service, remove) = {CTX_ARG, IN("area", U32), IN("key", TEXT), NULLABLE_ERROR_ARG};
FUNCTION(ovl_storage_service, remove, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_storage_service, keys) = {
    CTX_ARG, IN("area", U32), IN_SINK("keys", ovl_text_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_storage_service, keys, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

FIELDS(ovl_storage_service) = {
    FIELD(ovl_storage_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_storage_service, flags, FLAGS),
    FIELD(ovl_storage_service, ctx, CONTEXT),
    CALL(ovl_storage_service, get),
    CALL(ovl_storage_service, put),
    CALL(ovl_storage_service, remove),
    CALL(ovl_storage_service, keys),
};
RECORD(ovl_storage_service, 0, OVL_SERVICE_STORAGE);

ARGS(ovl_calls_service, name_call) = {CTX_ARG, IN_SINK("name", ovl_text_sink), NULLABLE_ERROR_ARG};
FUNCTION(ovl_calls_service, name_call, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_calls_service, has_ended) = {CTX_ARG, IN("name", TEXT)};
FUNCTION(ovl_calls_service, has_ended, OVL_THREAD_ANY, FROM_CREATED, 0, OVL_KIND_I32);

FIELDS(ovl_calls_service) = {
    FIELD(ovl_calls_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_calls_service, flags, FLAGS),
    FIELD(ovl_calls_service, ctx, CONTEXT),
    CALL(ovl_calls_service, name_call),
    CALL(ovl_calls_service, has_ended),
};
RECORD(ovl_calls_service, 0, OVL_SERVICE_CALLS);

ARGS(ovl_host, get_service) = {CTX_ARG, IN("id", TEXT), IN("min_size", U32)};
FUNCTION(ovl_host, get_service, OVL_THREAD_ANY, EVER, 0, OVL_KIND_TABLE);

FIELDS(ovl_host) = {
    FIELD(ovl_host, struct_size, STRUCT_SIZE),
    FIELD(ovl_host, flags, FLAGS),
    FIELD(ovl_host, ctx, CONTEXT),
    FIELD(ovl_host, abi_major, U32),
    FIELD(ovl_host, abi_minor, U32),
    FIELD(ovl_host, name, TEXT),
    FIELD(ovl_host, version, TEXT),
    CALL(ovl_host, get_service),
};
RECORD(ovl_host, 0, NULL);
