/* The entry function is hidden. */
#define ENTRY_NAME base_entry
#define ENTRY_EXPORT __attribute__((used))
#include "../Base.h"
