/* Has two time limits for the same method. */
#define BEFORE_ALL static const ovl_time_limit twice[] = { \
    {.struct_size = sizeof(ovl_time_limit), .method = TEXT("books"), .total = OVL_UNKNOWN}, \
    {.struct_size = sizeof(ovl_time_limit), .method = TEXT("books"), .silence = 1000000000}};
#define DESCRIPTOR_FIELDS .time_limits = {twice, 2, sizeof twice[0]}
#include "../Base.h"
