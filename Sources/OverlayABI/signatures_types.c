/* The signatures of overlay_types.h: errors and plain sinks. */
#include "signature_tables.h"

FIELDS(ovl_error) = {
    FIELD(ovl_error, struct_size, STRUCT_SIZE),
    FIELD(ovl_error, flags, FLAGS),
    FIELD(ovl_error, status, STATUS),
    FIELD(ovl_error, domain, I32),
    FIELD(ovl_error, native_code, I64),
    FIELD(ovl_error, message, TEXT),
    FIELD(ovl_error, subject, TEXT),
    FIELD(ovl_error, hint, TEXT),
};
RECORD(ovl_error, OVL_ERROR_RETRYABLE | OVL_HINT_MASK, NULL);

ARGS(ovl_error_sink, put) = {CTX_ARG, IN_RECORD("error", ovl_error)};
FUNCTION(ovl_error_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_VOID);

FIELDS(ovl_error_sink) = {
    FIELD(ovl_error_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_error_sink, flags, FLAGS),
    FIELD(ovl_error_sink, ctx, CONTEXT),
    CALL(ovl_error_sink, put),
};
RECORD(ovl_error_sink, 0, NULL);

ARGS(ovl_text_sink, put) = {CTX_ARG, IN("text", TEXT)};
FUNCTION(ovl_text_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_text_sink) = {
    FIELD(ovl_text_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_text_sink, flags, FLAGS),
    FIELD(ovl_text_sink, ctx, CONTEXT),
    CALL(ovl_text_sink, put),
};
RECORD(ovl_text_sink, 0, NULL);

ARGS(ovl_bytes_sink, put) = {CTX_ARG, IN("chunk", BYTES), IN("offset", U64), IN("total", U64)};
FUNCTION(ovl_bytes_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_bytes_sink) = {
    FIELD(ovl_bytes_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_bytes_sink, flags, FLAGS),
    FIELD(ovl_bytes_sink, ctx, CONTEXT),
    CALL(ovl_bytes_sink, put),
};
RECORD(ovl_bytes_sink, 0, NULL);
