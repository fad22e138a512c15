/* Does not export the entry function. */
#define ENTRY_NAME base_entry
#define ENTRY_EXPORT __attribute__((used))
#include "../Base.h"
