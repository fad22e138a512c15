// Compares the layout in C++ with the golden layout.
#include "overlay_layout.h"

#include <cstddef>

#define OVL_LAYOUT_STRUCT(record, size, alignment)                                                                     \
    static_assert(sizeof(record) == (size), "size of " #record);                                                       \
    static_assert(alignof(record) == (alignment), "alignment of " #record);
#define OVL_LAYOUT_FIELD(record, field, offset, size, alignment)                                                       \
    static_assert(offsetof(record, field) == (offset), "offset of " #record "." #field);                               \
    static_assert(sizeof(record::field) == (size), "size of " #record "." #field);                                     \
    static_assert(alignof(decltype(record::field)) == (alignment), "alignment of " #record "." #field);
#include "overlay_layout_v1.def"
