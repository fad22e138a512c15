/* Has a name of 300 characters. */
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define DESCRIPTOR_FIELDS .name = TEXT(HUNDRED HUNDRED HUNDRED)
#include "../Base.h"
