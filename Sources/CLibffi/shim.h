#pragma once
#include <ffi.h>

// Swift takes the types of libffi for variables that anybody may change.
static inline ffi_type *clibffi_void(void) { return &ffi_type_void; }
static inline ffi_type *clibffi_sint32(void) { return &ffi_type_sint32; }
static inline ffi_type *clibffi_uint32(void) { return &ffi_type_uint32; }
static inline ffi_type *clibffi_sint64(void) { return &ffi_type_sint64; }
static inline ffi_type *clibffi_uint64(void) { return &ffi_type_uint64; }
static inline ffi_type *clibffi_double(void) { return &ffi_type_double; }
static inline ffi_type *clibffi_pointer(void) { return &ffi_type_pointer; }
