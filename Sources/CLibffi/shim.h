#pragma once
#include <ffi.h>

// These functions return the types of libffi, because Swift imports them as mutable global variables.
static inline ffi_type *clibffi_void(void) { return &ffi_type_void; }
static inline ffi_type *clibffi_sint32(void) { return &ffi_type_sint32; }
static inline ffi_type *clibffi_uint32(void) { return &ffi_type_uint32; }
static inline ffi_type *clibffi_sint64(void) { return &ffi_type_sint64; }
static inline ffi_type *clibffi_uint64(void) { return &ffi_type_uint64; }
static inline ffi_type *clibffi_double(void) { return &ffi_type_double; }
static inline ffi_type *clibffi_pointer(void) { return &ffi_type_pointer; }
