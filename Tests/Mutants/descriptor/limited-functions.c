/* Has a time limit for a function that does not exist. */
#define BEFORE_ALL static const ovl_time_limit wrong[] = { \
    {.struct_size = sizeof(ovl_time_limit), .method = TEXT("list_books"), .total = OVL_UNKNOWN}};
#define DESCRIPTOR_FIELDS .time_limits = {wrong, 1, sizeof wrong[0]}
#include "../Base.h"
