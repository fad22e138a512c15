/* Checks the layout of C structs against the golden layout, and provides the same numbers to Swift. */
#include "overlay_layout.h"

#include <stddef.h>

#define OVL_LAYOUT_STRUCT(record, size, alignment)                                                                     \
    _Static_assert(sizeof(record) == (size), "size of " #record);                                                      \
    _Static_assert(_Alignof(record) == (alignment), "alignment of " #record);
#define OVL_LAYOUT_FIELD(record, field, offset, size, alignment)                                                       \
    _Static_assert(offsetof(record, field) == (offset), "offset of " #record "." #field);                              \
    _Static_assert(sizeof(((record *)0)->field) == (size), "size of " #record "." #field);                             \
    _Static_assert(_Alignof(__typeof__(((record *)0)->field)) == (alignment), "alignment of " #record "." #field);
#include "overlay_layout_v1.def"
#undef OVL_LAYOUT_STRUCT
#undef OVL_LAYOUT_FIELD

#define OVL_LAYOUT_STRUCT(record, size, alignment) {#record, NULL, 0, (size), (alignment), 0},
#define OVL_LAYOUT_FIELD(record, field, offset, size, alignment) {#record, #field, (offset), (size), (alignment), 0},
static const ovl_layout layout[] = {
#include "overlay_layout_v1.def"
};

const ovl_layout *ovl_layout_v1(uint32_t *count) {
    *count = (uint32_t)(sizeof layout / sizeof layout[0]);
    return layout;
}
